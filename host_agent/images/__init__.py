"""Images of renters: which are fetched, and what they ask of the machine.

`rules`             which images a host fetches, and who is responsible for a failed fetch
`registry`          an image's environment, read from its registry before the image is fetched
`manifests`         the documents there, as far as that needs them
`gpu_requirements`  demands on the GPU driver, in the words of NVIDIA's container toolkit
"""
