import type {
  LanguageModelV4Message,
  LanguageModelV4ReasoningFilePart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import {
  isToolPart,
  type MessagePart,
  type ProviderMetadata,
  type ReasoningFilePart,
  type SteeringMessagePart,
  type ToolPart,
  toolNameOf,
} from '../messages/message.ts'
import { isThenable } from '../schema.ts'
import { isAgentProgress } from '../tools/agent-progress.ts'
import type { ToolSet } from '../tools/tool.ts'
import { filePart, locate, providerOptionsOf, userPrompt } from './user-prompt.ts'

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content']

/** Converts one step of an assistant message to prompt messages: its content and calls, then the tool results. */
export async function assistantPrompt(
  parts: readonly MessagePart[],
  tools: ToolSet,
): Promise<LanguageModelV4Message[]> {
  const prompt: LanguageModelV4Message[] = []
  let content: AssistantContent = []
  let results: LanguageModelV4ToolResultPart[] = []
  for (const part of parts) {
    if (part.type === 'steering-message') {
      flush()
      prompt.push(...userPrompt(part.parts))
    } else if (!isToolPart(part)) {
      const converted = assistantPart(part)
      if (converted) content.push(converted)
    } else if (part.state !== 'input-streaming') {
      content.push({
        type: 'tool-call',
        toolCallId: part.toolCallId,
        toolName: toolNameOf(part),
        input: part.input,
        ...(part.providerExecuted && { providerExecuted: true }),
        ...(part.callProviderMetadata && { providerOptions: part.callProviderMetadata }),
      })
      const answer = toolResult(part, tools)
      const result = isThenable(answer) ? await answer : answer
      if (!part.providerExecuted) results.push(result)
      else if (part.state === 'output-available' || part.state === 'output-error') content.push(result)
    }
  }
  flush()
  return prompt

  function flush(): void {
    if (content.length > 0) prompt.push({ role: 'assistant', content })
    if (results.length > 0) prompt.push({ role: 'tool', content: results })
    content = []
    results = []
  }
}

function assistantPart(
  part: Exclude<MessagePart, ToolPart | SteeringMessagePart>,
): AssistantContent[number] | undefined {
  switch (part.type) {
    case 'text':
      // An empty text may carry provider metadata, such as a signature.
      return part.text === '' && !part.providerMetadata
        ? undefined
        : { type: 'text', text: part.text, ...providerOptionsOf(part) }
    case 'reasoning':
      return { type: 'reasoning', text: part.text, ...providerOptionsOf(part) }
    case 'file':
      return filePart(part)
    case 'reasoning-file':
      return reasoningFilePart(part)
    case 'custom':
      return { type: 'custom', kind: part.kind, ...providerOptionsOf(part) }
    default:
      return thinkingPart(part)
  }
}

/** Some providers name reasoning `thinking`. Other unknown parts are left out of the prompt. */
function thinkingPart(part: { type: string }): AssistantContent[number] | undefined {
  const { type, text, providerMetadata } = part as {
    type: string
    text?: string
    providerMetadata?: ProviderMetadata
  }
  if (type !== 'thinking' || typeof text !== 'string') return undefined
  return { type: 'reasoning', text, ...(providerMetadata && { providerOptions: providerMetadata }) }
}

function reasoningFilePart(part: ReasoningFilePart): LanguageModelV4ReasoningFilePart {
  return {
    type: 'reasoning-file',
    mediaType: part.mediaType,
    data: locate(part.url),
    ...providerOptionsOf(part),
  }
}

/**
 * Loaded on demand, because an agent without tools does not need it. Cached, because `import()` costs time on every
 * call.
 */
let outputs: typeof import('../tools/model-output.ts') | undefined

function modelOutput(part: AnsweredPart, tools: ToolSet): ModelOutput | Promise<ModelOutput> {
  return outputs ? outputs.modelOutput(part, tools) : loadModelOutput(part, tools)
}

async function loadModelOutput(part: AnsweredPart, tools: ToolSet): Promise<ModelOutput> {
  outputs = await import('../tools/model-output.ts')
  return outputs.modelOutput(part, tools)
}

type AnsweredPart = Extract<ToolPart, { state: 'output-available' }>
type ModelOutput = LanguageModelV4ToolResultPart['output']

/**
 * The result of a call. An unanswered call gets a result that says so, because providers refuse a call without a
 * result.
 */
function toolResult(
  part: ToolPart,
  tools: ToolSet,
): LanguageModelV4ToolResultPart | Promise<LanguageModelV4ToolResultPart> {
  const toolName = toolNameOf(part)
  const base = { type: 'tool-result', toolCallId: part.toolCallId, toolName } as const
  const ofResult = 'resultProviderMetadata' in part ? part.resultProviderMetadata : undefined
  const metadata = ofResult ?? part.callProviderMetadata
  const providerOptions = metadata ? { providerOptions: metadata } : {}
  switch (part.state) {
    case 'output-available': {
      // The progress of an agent that was interrupted or has suspended is not an answer.
      if (part.preliminary && isAgentProgress(part.output)) return { ...base, output: NO_RESULT }
      const output = modelOutput(part, tools)
      if (isThenable(output)) return output.then((output) => ({ ...base, output, ...providerOptions }))
      return { ...base, output, ...providerOptions }
    }
    case 'output-error':
      return { ...base, output: { type: 'error-text', value: part.errorText }, ...providerOptions }
    case 'output-denied': {
      const reason = part.approval?.reason
      return { ...base, output: { type: 'execution-denied', ...(reason !== undefined && { reason }) } }
    }
    default:
      return { ...base, output: NO_RESULT }
  }
}

const NO_RESULT = {
  type: 'error-text',
  value: 'The call was not completed and has no result.',
} satisfies ModelOutput
