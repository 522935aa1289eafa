import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import {
  type AgentOutputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type StreamEvent,
  Usage,
} from '@openai/agents'

/** A model of the AI SDK as one of OpenAI Agents, for scripts. It keeps every request. */
export class BridgedModel implements Model {
  readonly requests: ModelRequest[] = []
  readonly #model: LanguageModelV4

  constructor(model: LanguageModelV4) {
    this.#model = model
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    let done: Extract<StreamEvent, { type: 'response_done' }> | undefined
    for await (const event of this.getStreamedResponse(request))
      if (event.type === 'response_done') done = event
    if (!done) throw new Error('There was no response.')
    const { id, usage, output } = done.response
    return {
      responseId: id,
      usage: new Usage(usage as never),
      output,
      providerData: { raw: JSON.stringify(output) },
    }
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    this.requests.push(request)
    const { stream } = await this.#model.doStream(callOf(request))
    yield { type: 'response_started' }
    const output: AgentOutputItem[] = []
    const texts = new Map<string, { text: string }>()
    for await (const part of stream) {
      yield { type: 'model', event: structuredClone(part) }
      switch (part.type) {
        case 'text-start': {
          const content = { type: 'output_text' as const, text: '' }
          texts.set(part.id, content)
          output.push({
            type: 'message',
            role: 'assistant',
            id: `msg-${part.id}`,
            status: 'completed',
            content: [content],
          })
          break
        }
        case 'reasoning-start': {
          const content = { type: 'input_text' as const, text: '' }
          texts.set(part.id, content)
          output.push({ type: 'reasoning', id: `rs-${part.id}`, content: [content] })
          break
        }
        case 'text-delta':
          ;(texts.get(part.id) as { text: string }).text += part.delta
          yield { type: 'output_text_delta', itemId: `msg-${part.id}`, delta: part.delta }
          break
        case 'reasoning-delta':
          ;(texts.get(part.id) as { text: string }).text += part.delta
          break
        case 'tool-call': {
          const { toolCallId: callId, toolName: name, input } = part
          output.push({ type: 'function_call', callId, name, arguments: input, status: 'completed' })
          break
        }
        case 'error':
          throw part.error
        case 'finish': {
          const inputTokens = part.usage.inputTokens.total ?? 0
          const outputTokens = part.usage.outputTokens.total ?? 0
          const usage = { requests: 1, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
          yield {
            type: 'response_done',
            providerData: { raw: JSON.stringify(output) },
            response: { id: 'r', usage, output } as never,
          }
        }
      }
    }
  }
}

function callOf({
  input,
  systemInstructions,
  tools,
  signal,
  outputType,
}: ModelRequest): LanguageModelV4CallOptions {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const prompt: LanguageModelV4Prompt = items.map((item) => messageOf(item as never))
  if (systemInstructions) prompt.unshift({ role: 'system', content: systemInstructions })
  return {
    prompt,
    ...(signal && { abortSignal: signal }),
    ...(outputType !== 'text' && { responseFormat: { type: 'json', schema: outputType.schema as never } }),
    tools: tools.flatMap((tool) =>
      tool.type === 'function'
        ? [{ type: 'function' as const, name: tool.name, inputSchema: tool.parameters as never }]
        : [],
    ),
  }
}

interface AnyItem {
  type?: string
  role: 'user' | 'assistant'
  content: string | { text: string }[]
  callId: string
  name: string
  arguments: string
  output: string | { text: string }
}

/** Whatever else it has is in the text, for the tests to find. */
function messageOf(item: AnyItem): LanguageModelV4Message {
  const { callId: toolCallId, name: toolName } = item
  switch (item.type) {
    case 'function_call': {
      const input: unknown = JSON.parse(item.arguments)
      return { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] }
    }
    case 'function_call_result': {
      const value = typeof item.output === 'string' ? item.output : item.output.text
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } }],
      }
    }
    default: {
      const texts = typeof item.content === 'string' ? [item.content] : item.content.map(({ text }) => text)
      const content = texts.map((text) => ({ type: item.type === 'reasoning' ? 'reasoning' : 'text', text }))
      return { role: item.role ?? 'assistant', content } as LanguageModelV4Message
    }
  }
}
