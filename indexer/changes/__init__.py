"""Changes of the database, from the commit that makes them to whatever keeps something of it.

`writer`     the words of a change, written with it
`signal`     wakes readers on SQLite; PostgreSQL has NOTIFY
`reader`     the words of what was committed since the last look
`dispatch`   passes them on within a process
"""
