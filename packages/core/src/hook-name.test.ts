import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HOOK_NAMES, HOOKS } from './hook-name.ts'

const root = import.meta.dirname

/** The code of core, without comments, by path. */
const sources = new Map(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(path))
    .map((path) => [path, withoutComments(readFileSync(join(root, path), 'utf8'))]),
)

function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, '')
}

/** Files that name a hook, as a method, a field or a string. */
function filesNaming(hook: string): string[] {
  return [...sources].filter(([, code]) => new RegExp(`\\b${hook}\\b`).test(code)).map(([path]) => path)
}

describe('the table of hooks', () => {
  test('a hook is named in at most five files', () => {
    expect(filesNaming('processToolStep').sort()).toEqual([
      'composition/processor-pipeline.ts', // its method for use without an agent
      'hook-name.ts', //                      its row
      'loop.ts', //                           its place
      'loop/tools/process-tool-step.ts', // its caller
      'processors/tool-hooks.ts', //          its types
    ])
  })

  test('no other file lists hooks: their properties are in the table', () => {
    const lists = [...sources]
      .filter(([path]) => path !== 'hook-name.ts')
      .map(([path, code]) => [path, HOOK_NAMES.filter((hook) => code.includes(`'${hook}'`))] as const)
      .filter(([, hooks]) => hooks.length > 1)
    expect(Object.fromEntries(lists)).toEqual({
      // The order of the stages.
      'loop.ts': expect.any(Array),
      // The caller of both hooks for chunks, with the arguments of each.
      'loop/output/chunk-hooks.ts': ['processOutputStream', 'processDelivery'],
      // Who reviews an answer that came to no end, and for whom.
      'loop/end/execute.ts': ['processInputStep', 'processOutputResult'],
      // The places in a run at which it is stored, or recorded.
      'loop/suspension/capture.ts': expect.any(Array),
      'loop/suspension/recorded-run-journal.ts': expect.any(Array),
      'loop/suspension/stored-run-journal.ts': expect.any(Array),
      'run/run-journal.ts': expect.any(Array),
      // What a span leaves out: the text that these have changed.
      'tracing/content.ts': ['processOutputStep', 'processOutputResult'],
    })
  })

  test('names hooks in the order in which a run reaches them', () => {
    expect(HOOK_NAMES).toEqual(Object.keys(HOOKS))
    expect(HOOK_NAMES[0]).toBe('processInput')
    expect(HOOK_NAMES.at(-1)).toBe('processDelivery')
  })

  test('a hook that cannot end the run can neither suspend it nor repeat a step', () => {
    for (const hook of HOOK_NAMES) {
      const { ends, suspends, retries } = HOOKS[hook]
      if (!ends) expect({ suspends, retries }).toEqual({ suspends: false, retries: false })
    }
  })
})
