import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import type { RunResult } from '../results/result.ts'
import type { InferToolInput, InferToolOutput } from '../tools/tool.ts'
import { Agent } from './agent.ts'

declare const agent: Agent

const plain = agent.asTool()
expectTypeOf<InferToolInput<typeof plain>>().toEqualTypeOf<{ prompt: string }>()
expectTypeOf<InferToolOutput<typeof plain>>().toEqualTypeOf<string>()

const typed = agent.asTool({
  inputSchema: z.object({ city: z.string() }),
  toInput: ({ city }) => city.toUpperCase(),
  run: { output: z.object({ rain: z.boolean() }) },
})
expectTypeOf<InferToolInput<typeof typed>>().toEqualTypeOf<{ city: string }>()
expectTypeOf<InferToolOutput<typeof typed>>().toEqualTypeOf<{ rain: boolean }>()

new Agent({ model: 'a/b', tools: { plain, typed } }).on('run-finish', ({ result, runId }) => {
  expectTypeOf(result).toEqualTypeOf<RunResult>()
  expectTypeOf(runId).toEqualTypeOf<string>()
})

// @ts-expect-error There is no such event.
agent.on('run-finished', () => {})
