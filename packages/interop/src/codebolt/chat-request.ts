import type { ProcessInputStepArgs, ProcessInputStepResult } from '@millrace/core'
import { messageChanges } from '../adapter/message-changes.ts'
import { definitionsOf, type ToolDefinition, withTools } from '../adapter/tool-definition.ts'
import { linesOf, type SourceLine } from '../lines/lines-of-messages.ts'
import { type ChatMessage, type ChatTool, type ChatToolChoice, chatOf, readChat } from './chat-message.ts'

/** A model request in OpenAI's format. */
export interface ChatRequestBody {
  messages: ChatMessage[]
  /** If left out, the tools are unchanged. */
  tools?: (ChatTool | ChatTool['function'])[]
  tool_choice?: ChatToolChoice
  max_tokens?: number
  temperature?: number
}

/** The request of a step, prepared for a modifier. */
export interface OpenRequest {
  known: readonly SourceLine[]
  /** The messages passed to the modifier, one for each of `known`. */
  handed: readonly ChatMessage[]
  definitions: readonly ToolDefinition[]
  settings: Omit<ChatRequestBody, 'messages' | 'tools'>
}

export async function openRequest(args: ProcessInputStepArgs): Promise<OpenRequest> {
  const known = linesOf(args.messages, args.systemMessages)
  return {
    known,
    handed: known.map(({ line }) => chatOf(line)),
    definitions: await definitionsOf(args),
    settings: chatSettings(args),
  }
}

/** Everything in a request except its messages. */
export async function describeRequest(
  request: Pick<ProcessInputStepArgs, 'tools' | 'activeTools' | 'toolChoice' | 'modelSettings'>,
): Promise<{ tools: ChatTool[] } & OpenRequest['settings']> {
  return { tools: (await definitionsOf(request)).map(chatTool), ...chatSettings(request) }
}

function chatSettings({
  toolChoice,
  modelSettings: { maxOutputTokens, temperature },
}: Pick<ProcessInputStepArgs, 'toolChoice' | 'modelSettings'>): OpenRequest['settings'] {
  return {
    ...(toolChoice && { tool_choice: chatToolChoice(toolChoice) }),
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  }
}

export function chatTool({ name, description, parameters }: ToolDefinition): ChatTool {
  return {
    type: 'function',
    function: { name, ...(description !== undefined && { description }), parameters },
  }
}

/** A tool in OpenAI's format, or only its `function` object. */
export function readTool(tool: ChatTool | ChatTool['function']): ToolDefinition {
  const { name, description, parameters } = 'function' in tool ? tool.function : tool
  return { name, description, parameters: parameters ?? { type: 'object', properties: {} } }
}

function chatToolChoice(choice: NonNullable<ProcessInputStepArgs['toolChoice']>): ChatToolChoice {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.toolName } }
}

/** The changes of a modifier to the request, for this model call. */
export function requestChanges(
  args: ProcessInputStepArgs,
  { known, handed, definitions, settings }: OpenRequest,
  body: ChatRequestBody,
): ProcessInputStepResult {
  return {
    ...messageChanges(args, known, readChat(known, handed, body.messages)),
    ...(body.tools && withTools(args, definitions, body.tools.map(readTool))),
    ...settingChanges(args, settings, body),
  }
}

/** Removing a setting resets it to the provider's default. Removing the tool choice resets it to `auto`. */
export function settingChanges(
  { modelSettings }: Pick<ProcessInputStepArgs, 'modelSettings'>,
  before: OpenRequest['settings'],
  after: OpenRequest['settings'],
): Pick<ProcessInputStepResult, 'toolChoice' | 'modelSettings'> {
  const { maxOutputTokens: _, temperature: __, ...others } = modelSettings
  const { tool_choice: choice = 'auto', max_tokens: maxOutputTokens, temperature } = after
  const isChanged = maxOutputTokens !== before.max_tokens || temperature !== before.temperature
  const isOtherChoice = JSON.stringify(after.tool_choice) !== JSON.stringify(before.tool_choice)
  return {
    ...(isOtherChoice && {
      toolChoice: typeof choice === 'string' ? choice : { type: 'tool', toolName: choice.function.name },
    }),
    ...(isChanged && {
      modelSettings: {
        ...others,
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
        ...(temperature !== undefined && { temperature }),
      },
    }),
  }
}
