interface HookFacts {
  /** The list of processors it belongs to: there it may stand, and that list's order it follows. `any`: both lists. */
  list: 'input' | 'output' | 'any'
  /** Called in a step, and given its number. */
  inSteps: boolean
  /** May end the run with a signal. `processDelivery` comes after the end. */
  ends: boolean
  /** May suspend the run, which is resumed in it. */
  suspends: boolean
  /** May have the step run again: `abort` with `retry`. */
  retries: boolean
  /** Called for every chunk, so it must cost little. */
  perChunk: boolean
  /** What happens to its subject if it returns nothing. */
  nothing: 'unchanged' | 'dropped'
}

/** The hooks of the loop, in the order in which a run reaches them. Every fact about a hook stands in its row. */
// biome-ignore format: a table is read in columns
export const HOOKS = {
  processInput:        { list: 'input',  inSteps: false, ends: true,  suspends: true,  retries: false, perChunk: false, nothing: 'unchanged' },
  processInputStep:    { list: 'input',  inSteps: true,  ends: true,  suspends: true,  retries: false, perChunk: false, nothing: 'unchanged' },
  wrapModelCall:       { list: 'any',    inSteps: true,  ends: true,  suspends: true,  retries: false, perChunk: false, nothing: 'unchanged' },
  processModelError:   { list: 'any',    inSteps: true,  ends: true,  suspends: true,  retries: false, perChunk: false, nothing: 'unchanged' },
  processOutputStream: { list: 'output', inSteps: true,  ends: true,  suspends: false, retries: true,  perChunk: true,  nothing: 'dropped' },
  processOutputStep:   { list: 'output', inSteps: true,  ends: true,  suspends: true,  retries: true,  perChunk: false, nothing: 'unchanged' },
  processToolCall:     { list: 'any',    inSteps: true,  ends: true,  suspends: true,  retries: false, perChunk: false, nothing: 'unchanged' },
  processExecution:    { list: 'any',    inSteps: true,  ends: true,  suspends: false, retries: false, perChunk: false, nothing: 'unchanged' },
  processToolResult:   { list: 'any',    inSteps: true,  ends: true,  suspends: true,  retries: false, perChunk: false, nothing: 'unchanged' },
  processToolStep:     { list: 'any',    inSteps: true,  ends: true,  suspends: true,  retries: false, perChunk: false, nothing: 'unchanged' },
  processOutputResult: { list: 'output', inSteps: false, ends: true,  suspends: true,  retries: true,  perChunk: false, nothing: 'unchanged' },
  processDelivery:     { list: 'any',    inSteps: false, ends: false, suspends: false, retries: false, perChunk: true,  nothing: 'unchanged' },
} as const

type Complete<TABLE extends Record<string, HookFacts>> = TABLE

export type HookName = keyof Complete<typeof HOOKS>

/** The hooks of which a fact holds, such as `HookWith<'suspends', true>`. */
export type HookWith<FACT extends keyof HookFacts, VALUE> = {
  [HOOK in HookName]: (typeof HOOKS)[HOOK][FACT] extends VALUE ? HOOK : never
}[HookName]

/** The hooks of the loop, in the order in which a run reaches them. */
export const HOOK_NAMES: readonly [HookName, ...HookName[]] = Object.keys(HOOKS) as [HookName, ...HookName[]]

/** Hooks of earlier versions, with their names of today. */
export const RENAMED_HOOKS: ReadonlyMap<string, HookName> = new Map([
  ['processToolResults', 'processToolStep'],
])
