import { configureGlobal } from 'fast-check'

// By default the same 100 samples in every run. Thorough: 2,000 random ones; a failure prints its seed and path.
configureGlobal(
  process.env.MILLRACE_THOROUGH === '1' ? { numRuns: 2_000 } : { numRuns: 100, seed: 20_260_101 },
)
