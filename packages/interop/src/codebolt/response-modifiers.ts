import {
  isRecord,
  type LanguageModel,
  type ProcessOutputStepArgs,
  type ProcessOutputStepResult,
  type Processor,
  requireOptions,
} from '@millrace/core'
import { identityOf, type MaybePromise, requireMethod } from '../adapter/adapter.ts'
import { editLastResponse } from '../adapter/last-response.ts'
import {
  CONTEXT_ADAPTER_OPTIONS,
  type ContextAdapterOptions,
  contextOf,
  type ModifierContext,
} from '../adapter/modifier-context.ts'
import { argsOf, linesOfCalls } from '../lines/lines-of-messages.ts'
import { parseJson } from '../lines/parts-of-line.ts'
import { type ChatRequestBody, chatTool, openRequest, requestChanges } from './chat-request.ts'
import { chatFinishReason, contentWith } from './completion.ts'
import { type ControlFlow, haltIfRequested } from './control-flow.ts'
import type { ModifierToolCall } from './tool-modifiers.ts'

/** The model request of an older Codebolt step. */
export interface LLMRequest extends ChatRequestBody {
  /** The model's id. Another id, or a model, replaces the model of the call. */
  model?: LanguageModel
}

/** The response of a model. */
export interface LLMResponse {
  content: string
  tool_calls: ModifierToolCall[]
  /** Read-only: changes have no effect. */
  usage?: { prompt_tokens?: number; completion_tokens?: number; total_tokens?: number }
  finish_reason?: string
}

/** The `LLMAgentStep` of the older Codebolt: runs before and after a model call. */
export interface LLMAgentStep {
  before?(request: LLMRequest, context: ModifierContext): MaybePromise<(LLMRequest & ControlFlow) | undefined>
  after?(
    response: LLMResponse,
    context: ModifierContext,
  ): MaybePromise<(LLMResponse & ControlFlow) | undefined>
}

/**
 * Runs an `LLMAgentStep`: `before` in `processInputStep`, where its changes apply to this call only, and
 * `after` in `processOutputStep`, where it changes the answer. Both run in list order. To wrap the call
 * itself, such as for a fallback, use `wrapModelCall` or `processModelError` of a processor.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has neither method
 */
export function llmStep(step: LLMAgentStep, given: ContextAdapterOptions = {}): Processor {
  const options = requireOptions('llmStep()', given, CONTEXT_ADAPTER_OPTIONS)
  requireMethod(step, ['before', 'after'], 'llmStep')
  return {
    ...identityOf(options, 'llm-step'),
    ...(step.before && {
      async processInputStep(args) {
        const open = await openRequest(args)
        const { modelId } = args.model
        const request: LLMRequest = {
          messages: [...open.handed],
          tools: structuredClone(open.definitions).map(chatTool),
          ...open.settings,
          model: modelId,
        }
        const returned = (await step.before?.(request, contextOf(args, options.metrics))) ?? request
        haltIfRequested(returned, args.halt)
        const { model = modelId } = returned
        return { ...requestChanges(args, open, returned), ...(model !== modelId && { model }) }
      },
    }),
    ...(step.after && {
      processOutputStep: (args) =>
        modifyResponse(args, (response) => step.after?.(response, contextOf(args, options.metrics))),
    }),
  } satisfies Processor
}

/** The `ResponseModifier` of the older Codebolt: changes an answer before the agent uses it. */
export interface ResponseModifier {
  modify(
    response: LLMResponse,
    context: ModifierContext,
  ): MaybePromise<(LLMResponse & ControlFlow) | undefined>
}

/**
 * Runs a `ResponseModifier` in `processOutputStep`. It can change the text, and rewrite or remove calls. New
 * calls are rejected. `halt: true` ends the run before any tool runs.
 *
 * @throws MillraceError `CONFIG_INVALID` if the object has no `modify`
 */
export function responseModifier(modifier: ResponseModifier, given: ContextAdapterOptions = {}): Processor {
  const options = requireOptions('responseModifier()', given, CONTEXT_ADAPTER_OPTIONS)
  requireMethod(modifier, ['modify'], 'responseModifier')
  return {
    ...identityOf(options, 'response-modifier'),
    processOutputStep: (args) =>
      modifyResponse(args, (response) => modifier.modify(response, contextOf(args, options.metrics))),
  }
}

async function modifyResponse(
  args: ProcessOutputStepArgs,
  modify: (response: LLMResponse) => MaybePromise<(LLMResponse & ControlFlow) | undefined>,
): Promise<ProcessOutputStepResult> {
  const { text, toolCalls, usage, finishReason } = args
  const calls = linesOfCalls(toolCalls)
  const response: LLMResponse = {
    content: text,
    tool_calls: calls.map(({ id, name, args }) => ({ id, name, arguments: parseJson(args) })),
    usage: {
      ...(usage.inputTokens !== undefined && { prompt_tokens: usage.inputTokens }),
      ...(usage.outputTokens !== undefined && { completion_tokens: usage.outputTokens }),
      ...(usage.totalTokens !== undefined && { total_tokens: usage.totalTokens }),
    },
    finish_reason: chatFinishReason(finishReason),
  }
  const returned = (await modify(response)) ?? response
  haltIfRequested(returned, args.halt)
  if (!isRecord(returned)) throw new TypeError('The modifier did not return a response.')
  const { content = '', tool_calls = [] } = returned
  return editLastResponse(args, (line) => ({
    ...line,
    content: content === text ? line.content : contentWith(line, content),
    calls: tool_calls.map((call) => ({ id: call.id, name: call.name, args: argsOf(call.arguments) })),
  }))
}
