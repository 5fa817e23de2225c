"""Tests of the compiled program: every act, refusal, cost and invariant through LiteSVM."""
