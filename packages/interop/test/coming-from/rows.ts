import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  Agent,
  type AgentInput,
  type AgentOptions,
  type Chunk,
  type Processor,
  type RunResult,
  type Tool,
  tool,
} from '@millrace/core'
import { collect, ScriptedModel, type Turn } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

expect.extend(matchers)

const page = readFileSync(join(import.meta.dirname, '../../docs/coming-from-other-frameworks.md'), 'utf8')

/** The ids of all rows of the page's tables, in order. A row begins with its id. */
export const ROW_IDS: readonly string[] = [...page.matchAll(/^\| `([a-z][a-z0-9-]+)` \|/gm)].map(
  ([, id]) => id as string,
)

/** A test for each row of one table, by the part of its id behind the prefix. No row is without, and no test. */
export function describeRows(prefix: string, tests: Record<string, () => void | Promise<void>>): void {
  describe(`the rows of ${prefix}`, () => {
    test('are those tested here', () => {
      const rows = ROW_IDS.filter((id) => id.startsWith(`${prefix}-`))
      expect(Object.keys(tests).map((name) => `${prefix}-${name}`)).toEqual(rows)
    })
    for (const [name, run] of Object.entries(tests)) test(`${prefix}-${name}`, run)
  })
}

export interface Ran {
  model: ScriptedModel
  result: RunResult
}

type Options = Partial<AgentOptions> & { input?: AgentInput }

/** Runs an agent with one processor, or with options, over a script. */
export async function run(options: Processor | Options, turns: Turn[] = ['Done.']): Promise<Ran> {
  const { input = 'Hello', ...rest }: Options = 'id' in options ? { processors: [options] } : options
  const model = new ScriptedModel(turns)
  return { model, result: await new Agent({ model, ...rest }).generate(input) }
}

/** As {@link run}, as a stream. */
export async function stream(
  options: Processor | Options,
  turns: Turn[],
): Promise<Ran & { chunks: Chunk[] }> {
  const { input = 'Hello', ...rest }: Options = 'id' in options ? { processors: [options] } : options
  const model = new ScriptedModel(turns)
  const running = new Agent({ model, ...rest }).stream(input)
  const chunks = await collect(running.fullStream)
  return { model, chunks, result: await running.result }
}

/** Tools, with what they were called with. */
export function recordingTools(): { ran: unknown[]; tools: { look: Tool } } {
  const ran: unknown[] = []
  const look = tool({
    description: 'Looks',
    inputSchema: z.object({ at: z.string() }),
    execute: ({ at }) => {
      ran.push(at)
      return `saw ${at}`
    },
  })
  return { ran, tools: { look } }
}

/** The texts of a prompt, each with its role. */
export function said(prompt: readonly { role: string; content: unknown }[]): string[] {
  return prompt.map(({ role, content }) => {
    const parts = Array.isArray(content) ? content : [{ text: content }]
    const texts = parts.map((part) => part.text ?? part.output?.value ?? part.output?.reason ?? part.type)
    return `${role}: ${texts.join(' ')}`
  })
}

/** The names of the tools a call was given. */
export function toolNames(call: { tools?: readonly { name: string }[] | undefined } | undefined): string[] {
  return (call?.tools ?? []).map(({ name }) => name)
}
