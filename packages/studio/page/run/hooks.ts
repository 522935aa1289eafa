import type { HookName } from '@millrace/core'

/** What a processor sees in each hook, for people. */
const HOOKS: Readonly<Record<HookName, string>> = {
  processInput: 'what came in, before the first step',
  processInputStep: 'the prompt, before the model is called',
  wrapModelCall: 'around the call of the model',
  processModelError: 'an error of the model',
  processOutputStream: 'the answer, chunk by chunk',
  processOutputStep: 'the complete answer of the step',
  processToolCall: 'a call of a tool, before it is executed',
  processExecution: 'around the execution of a tool',
  processToolResult: 'the result of a tool',
  processToolStep: 'all results of tools of the step',
  processOutputResult: 'the result, at the end of the run',
  processDelivery: 'what the reader gets',
}

export function hookText(hook: string): string {
  return Object.hasOwn(HOOKS, hook) ? HOOKS[hook as HookName] : hook
}
