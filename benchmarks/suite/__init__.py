"""The benchmarks: each module measures one part of the product."""
