import { collect } from '@millrace/testing'
import type { Agent } from '../src/agent/agent.ts'
import type { RunOptions } from '../src/agent/agent-options.ts'
import type { Chunk } from '../src/results/chunk.ts'
import type { RunResult } from '../src/results/result.ts'

/** One of the ways to run an agent. `chunks` is empty where the run is no stream. */
export type Way = (agent: Agent, options?: RunOptions) => Promise<{ result: RunResult; chunks: Chunk[] }>

/** The same run by all ways, each with its name. */
export const WAYS: [string, Way][] = [
  ['generate', async (agent, options) => ({ result: await agent.generate('Hi', options), chunks: [] })],
  [
    'stream',
    async (agent, options) => {
      const stream = agent.stream('Hi', options)
      return { chunks: await collect(stream.fullStream), result: await stream.result }
    },
  ],
]
