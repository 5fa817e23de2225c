"""Proposals: what they do, with which accounts, how they stand and how they are written.

`actions`   an action as bytes, and the accounts that executing it takes
`stages`    how a proposal stands at a time
`words`     actions written as text and as JSON, and read from text
"""

from anchor_client.governance.actions import action_of, execution, remaining_accounts
from anchor_client.governance.words import action_fields, describe, kind_of
from anchor_client.rules.proposal import Stage, Tally, proposal_stage, stage_of, tally, tally_of

__all__ = [
    "Stage",
    "Tally",
    "action_fields",
    "action_of",
    "describe",
    "execution",
    "kind_of",
    "proposal_stage",
    "remaining_accounts",
    "stage_of",
    "tally",
    "tally_of",
]
