import type { Processor, ProcessToolCallArgs } from '@millrace/core'
import { isRecord } from '@millrace/core'
import { identityOf, type MaybePromise, requireMethod } from '../adapter/adapter.ts'
import { type ContextAdapterOptions, contextOf, type ModifierContext } from '../adapter/modifier-context.ts'
import { definitionsOf, withTools } from '../adapter/tool-definition.ts'
import { argsOf } from '../lines/lines-of-messages.ts'
import { parseJson } from '../lines/parts-of-line.ts'
import type { ChatTool } from './chat-message.ts'
import { chatTool, readTool } from './chat-request.ts'
import { type ControlFlow, controlOf, haltIfTold } from './control-flow.ts'

/** The older Codebolt's `ToolInjectionModifier`: decides which tools a call may use. */
export interface ToolInjectionModifier {
  inject(
    availableTools: ChatTool[],
    context: ModifierContext,
  ): MaybePromise<ChatTool[] | ({ tools: ChatTool[] } & ControlFlow) | undefined>
}

/**
 * Runs a `ToolInjectionModifier` in `processInputStep`. The returned list is what the call may use: a name the agent
 * has a tool for means that tool, also where it was not active; any other becomes a tool that runs at the client.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `inject`
 */
export function toolInjection(
  modifier: ToolInjectionModifier,
  options: ContextAdapterOptions = {},
): Processor {
  requireMethod(modifier, ['inject'], 'toolInjection')
  return {
    ...identityOf(options, 'tool-injection'),
    async processInputStep(args) {
      const known = await definitionsOf(args)
      const tools = structuredClone(known).map(chatTool)
      const returned = (await modifier.inject(tools, contextOf(args, options.metrics))) ?? tools
      haltIfTold(returned, args.halt)
      const wanted = Array.isArray(returned) ? returned : returned.tools
      if (!Array.isArray(wanted)) throw new TypeError('The modifier returned no list of tools.')
      return withTools(args, known, wanted.map(readTool))
    },
  }
}

/** A call in the older Codebolt's form. `arguments` is parsed; where the model sent no JSON it is the text. */
export interface ModifierToolCall {
  id: string
  name: string
  arguments: unknown
}

/** The older Codebolt's `ToolParameterModifier`: rewrites what a tool is called with. */
export interface ToolParameterModifier {
  modify(
    call: ModifierToolCall,
    context: ModifierContext,
  ): MaybePromise<(ModifierToolCall & ControlFlow) | ({ call: ModifierToolCall } & ControlFlow) | undefined>
}

/**
 * Runs a `ToolParameterModifier` in `processToolCall`. Changed arguments are validated again, and only the tool gets
 * them: the transcript keeps the model's own. `deny: true` denies the call, with the reason for the model to see;
 * `halt: true` ends the run. The name of the tool cannot be changed here, but in {@link responseModifier}.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `modify`
 */
export function toolParameters(
  modifier: ToolParameterModifier,
  options: ContextAdapterOptions = {},
): Processor {
  requireMethod(modifier, ['modify'], 'toolParameters')
  return {
    ...identityOf(options, 'tool-parameters'),
    async processToolCall(args) {
      const { toolCall } = args
      const call = modifierCall(args)
      const returned = (await modifier.modify(call, contextOf(args, options.metrics))) ?? call
      haltIfTold(returned, args.halt)
      const denial = denialOf(returned)
      if (denial) return denial
      const changed = 'call' in returned && isRecord(returned.call) ? returned.call : returned
      if (!('arguments' in changed)) throw new TypeError('The modifier returned no call with arguments.')
      if (changed.name !== toolCall.toolName)
        throw new TypeError(
          `The modifier renamed a call of '${toolCall.toolName}', which is decided already.`,
        )
      const input =
        typeof changed.arguments === 'string' && typeof toolCall.input !== 'string'
          ? parseJson(changed.arguments)
          : changed.arguments
      return argsOf(input) === argsOf(toolCall.input) ? undefined : { input }
    },
  }
}

/** What a `ToolValidationModifier` says about a call. */
export interface ValidationResult {
  valid: boolean
  /** For the model to see. */
  reason?: string
}

/** The older Codebolt's `ToolValidationModifier`: refuses calls. */
export interface ToolValidationModifier {
  validate(call: ModifierToolCall, context: ModifierContext): MaybePromise<ValidationResult & ControlFlow>
}

/**
 * Runs a `ToolValidationModifier` in `processToolCall`, on a copy of the call. `valid: false` denies it, with the
 * reason for the model to see; anything but a plain yes or no fails the run.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `validate`
 */
export function toolValidation(
  modifier: ToolValidationModifier,
  options: ContextAdapterOptions = {},
): Processor {
  requireMethod(modifier, ['validate'], 'toolValidation')
  return {
    ...identityOf(options, 'tool-validation'),
    async processToolCall(args) {
      const returned: unknown = await modifier.validate(modifierCall(args), contextOf(args, options.metrics))
      haltIfTold(returned, args.halt)
      const denial = denialOf(returned)
      if (denial) return denial
      if (!isRecord(returned) || typeof returned.valid !== 'boolean')
        throw new TypeError('The modifier did not say whether the call is valid.')
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
