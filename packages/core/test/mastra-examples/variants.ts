import type { Agent, AgentInput, Chunk, RunOptions, RunResult, ToolSet } from '@millrace/core'
import { collect, textOf } from '@millrace/testing'

/** One version of an example, run one way. */
export interface Variant<EXAMPLE> {
  version: 'as documented' | 'annotated'
  way: 'generate' | 'stream'
  Example: EXAMPLE
  run<TOOLS extends ToolSet>(
    agent: Agent<TOOLS>,
    input: AgentInput,
    options?: Pick<RunOptions, 'trusted'>,
  ): Promise<Outcome<TOOLS>>
}

interface Outcome<TOOLS extends ToolSet> {
  result: RunResult<TOOLS>
  /** What the caller has in hand at the end: of a stream, the text of all steps without what was taken back. */
  delivered: string
  /** What a reader saw; nothing by `generate`. */
  chunks: Chunk[]
}

/**
 * Both versions of an example, each through `generate` and through `stream`: the annotated one given, and of the same
 * name, from `documented.ts` in its folder, the original with its types stripped. That one is imported by a path which
 * tsc does not follow: its parameters have no types, which our flags refuse.
 */
export async function variants<EXAMPLE extends { name: string }>(
  folder: string,
  annotated: EXAMPLE,
): Promise<Variant<EXAMPLE>[]> {
  const { [annotated.name]: documented } = await import(`./${folder}/documented.ts`)
  return (['generate', 'stream'] as const).flatMap((way) => [
    { version: 'as documented', way, Example: documented, run: ways[way] },
    { version: 'annotated', way, Example: annotated, run: ways[way] },
  ])
}

const ways: { [WAY in Variant<never>['way']]: Variant<never>['run'] } = {
  generate: async (agent, input, options) => {
    const result = await agent.generate(input, options)
    return { result, delivered: result.steps.map(({ text }) => text).join(''), chunks: [] }
  },
  stream: async (agent, input, options) => {
    const stream = agent.stream(input, options)
    const chunks = await collect(stream.fullStream)
    return { result: await stream.result, delivered: textOf(chunks), chunks }
  },
}
