/** The hooks of the loop, in the order in which a run reaches them. */
export const HOOK_NAMES = [
  'processInput',
  'processInputStep',
  'wrapModelCall',
  'processModelError',
  'processOutputStream',
  'processOutputStep',
  'processToolCall',
  'processExecution',
  'processToolResult',
  'processToolResults',
  'processOutputResult',
  'processDelivery',
] as const

export type HookName = (typeof HOOK_NAMES)[number]
