import type { HookName } from '@millrace/core'

/** What a processor sees in each hook. */
const HOOKS: Readonly<Record<HookName, string>> = {
  processInput: 'the input, before the first step',
  processInputStep: 'the prompt, before the model is called',
  wrapModelCall: 'around the model call',
  processModelError: 'a failed model call',
  processOutputStream: 'the answer, chunk by chunk',
  processOutputStep: 'the complete answer of the step',
  processToolCall: 'a tool call, before it is executed',
  processExecution: 'around the execution of a tool call',
  processToolResult: 'a tool result',
  processToolStep: 'all tool results of the step',
  processOutputResult: 'the result, at the end of the run',
  processDelivery: 'output on its way to the reader',
}

export function hookText(hook: string): string {
  return Object.hasOwn(HOOKS, hook) ? HOOKS[hook as HookName] : hook
}
