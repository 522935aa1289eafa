import { isRecord, type Processor, type ProcessToolCallArgs, requireOptions } from '@millrace/core'
import { identityOf, type MaybePromise, requireMethod } from '../adapter/adapter.ts'
import {
  CONTEXT_ADAPTER_OPTIONS,
  type ContextAdapterOptions,
  contextOf,
  type ModifierContext,
} from '../adapter/modifier-context.ts'
import { definitionsOf, withTools } from '../adapter/tool-definition.ts'
import { argsOf } from '../lines/lines-of-messages.ts'
import { parseJson } from '../lines/parts-of-line.ts'
import type { ChatTool } from './chat-message.ts'
import { chatTool, readTool } from './chat-request.ts'
import { type ControlFlow, controlOf, haltIfRequested } from './control-flow.ts'

/** The `ToolInjectionModifier` of the older Codebolt: selects the tools of a call. */
export interface ToolInjectionModifier {
  inject(
    availableTools: ChatTool[],
    context: ModifierContext,
  ): MaybePromise<ChatTool[] | ({ tools: ChatTool[] } & ControlFlow) | undefined>
}

/**
 * Runs a `ToolInjectionModifier` in `processInputStep`. The returned list has the tools that the call may
 * use. A name of a tool of the agent refers to that tool, even if it was not active; any other becomes a tool
 * that runs at the client.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `inject`
 */
export function toolInjection(modifier: ToolInjectionModifier, given: ContextAdapterOptions = {}): Processor {
  const options = requireOptions('toolInjection()', given, CONTEXT_ADAPTER_OPTIONS)
  requireMethod(modifier, ['inject'], 'toolInjection')
  return {
    ...identityOf(options, 'tool-injection'),
    async processInputStep(args) {
      const known = await definitionsOf(args)
      const tools = structuredClone(known).map(chatTool)
      const returned = (await modifier.inject(tools, contextOf(args, options.metrics))) ?? tools
      haltIfRequested(returned, args.halt)
      const wanted = Array.isArray(returned) ? returned : returned.tools
      if (!Array.isArray(wanted)) throw new TypeError('The modifier did not return a list of tools.')
      return withTools(args, known, wanted.map(readTool))
    },
  }
}

/**
 * A call in the format of the older Codebolt. `arguments` is parsed; if the model did not send JSON, it is
 * the raw text.
 */
export interface ModifierToolCall {
  id: string
  name: string
  arguments: unknown
}

/** The `ToolParameterModifier` of the older Codebolt: rewrites the arguments of a call. */
export interface ToolParameterModifier {
  modify(
    call: ModifierToolCall,
    context: ModifierContext,
  ): MaybePromise<(ModifierToolCall & ControlFlow) | ({ call: ModifierToolCall } & ControlFlow) | undefined>
}

/**
 * Runs a `ToolParameterModifier` in `processToolCall`. Changed arguments are validated again, and only the
 * tool receives them: the transcript keeps the model's own. `deny: true` denies the call, with the reason for
 * the model; `halt: true` ends the run. The name of the tool cannot be changed here; use {@link
 * responseModifier}.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `modify`
 */
export function toolParameters(
  modifier: ToolParameterModifier,
  given: ContextAdapterOptions = {},
): Processor {
  const options = requireOptions('toolParameters()', given, CONTEXT_ADAPTER_OPTIONS)
  requireMethod(modifier, ['modify'], 'toolParameters')
  return {
    ...identityOf(options, 'tool-parameters'),
    async processToolCall(args) {
      const { toolCall } = args
      const call = modifierCall(args)
      const returned = (await modifier.modify(call, contextOf(args, options.metrics))) ?? call
      haltIfRequested(returned, args.halt)
      const denial = denialOf(returned)
      if (denial) return denial
      const changed = 'call' in returned && isRecord(returned.call) ? returned.call : returned
      if (!('arguments' in changed)) throw new TypeError('The modifier did not return a call with arguments.')
      if (changed.name !== toolCall.toolName)
        throw new TypeError(
          `The modifier renamed a call of '${toolCall.toolName}'. The tool of a call cannot be changed here.`,
        )
      const input =
        typeof changed.arguments === 'string' && typeof toolCall.input !== 'string'
          ? parseJson(changed.arguments)
          : changed.arguments
      return argsOf(input) === argsOf(toolCall.input) ? undefined : { input }
    },
  }
}

/** The verdict of a `ToolValidationModifier`. */
export interface ValidationResult {
  valid: boolean
  /** The reason, which the model sees. */
  reason?: string
}

/** The `ToolValidationModifier` of the older Codebolt: denies invalid calls. */
export interface ToolValidationModifier {
  validate(call: ModifierToolCall, context: ModifierContext): MaybePromise<ValidationResult & ControlFlow>
}

/**
 * Runs a `ToolValidationModifier` in `processToolCall`, on a copy of the call. `valid: false` denies the
 * call, with the reason for the model. Any value other than `true` or `false` fails the run.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `validate`
 */
export function toolValidation(
  modifier: ToolValidationModifier,
  given: ContextAdapterOptions = {},
): Processor {
  const options = requireOptions('toolValidation()', given, CONTEXT_ADAPTER_OPTIONS)
  requireMethod(modifier, ['validate'], 'toolValidation')
  return {
    ...identityOf(options, 'tool-validation'),
    async processToolCall(args) {
      const returned: unknown = await modifier.validate(modifierCall(args), contextOf(args, options.metrics))
      haltIfRequested(returned, args.halt)
      const denial = denialOf(returned)
      if (denial) return denial
      if (!isRecord(returned) || typeof returned.valid !== 'boolean')
        throw new TypeError("The modifier's result has no boolean 'valid'.")
      if (returned.valid) return undefined
      return { deny: controlOf(returned).reason ?? 'The call is not valid.' }
    },
  }
}

function modifierCall({ toolCall: { toolCallId, toolName, input } }: ProcessToolCallArgs): ModifierToolCall {
  return { id: toolCallId, name: toolName, arguments: structuredClone(input) }
}

function denialOf(returned: unknown): { deny: string } | undefined {
  const { deny, reason } = controlOf(returned)
  return deny ? { deny: reason ?? 'The call was denied.' } : undefined
}
