interface HookFacts {
  /** The list of processors in which the hook is allowed, and whose order it follows. `any`: both lists. */
  list: 'input' | 'output' | 'any'
  /** Whether it is called in a step, with the step's number. */
  inSteps: boolean
  /** Whether it can end the run with a signal. `processDelivery` runs after the end. */
  ends: boolean
  /** Whether it can suspend the run. */
  suspends: boolean
  /** Whether it can repeat the step: `abort` with `retry`. */
  retries: boolean
  /** Whether it is called for every chunk, so that it must be fast. */
  perChunk: boolean
  /** What happens to its subject if it returns nothing. */
  nothing: 'unchanged' | 'dropped'
}

/** The hooks of the loop, in the order in which a run reaches them, with all their properties. */
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

/** The hooks with this value of a property, such as `HookWith<'suspends', true>`. */
export type HookWith<FACT extends keyof HookFacts, VALUE> = {
  [HOOK in HookName]: (typeof HOOKS)[HOOK][FACT] extends VALUE ? HOOK : never
}[HookName]

/** The names of the hooks, in the order in which a run reaches them. */
export const HOOK_NAMES: readonly [HookName, ...HookName[]] = Object.keys(HOOKS) as [HookName, ...HookName[]]

/** Hooks of earlier versions, with their current names. */
export const RENAMED_HOOKS: ReadonlyMap<string, HookName> = new Map([
  ['processToolResults', 'processToolStep'],
])
