import { inputPieces, type Reply, serverSentEvent, tokens, type Wire } from './wire.ts'

/** Chat completions, as OpenAI and those compatible with it speak them. */
export const openaiChatWire: Wire = {
  reply({ responseId, reasoning, text = [], calls = [], cutOff }) {
    const finishReason = cutOff ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
    return [
      ...(reasoning ? [delta(responseId, { role: 'assistant', reasoning_content: reasoning.text })] : []),
      ...openaiChatWire.opening({ responseId, text }),
      ...calls.flatMap((call, index) => {
        const [start, end] = inputPieces(call)
        const { id, name } = call
        return [
          delta(responseId, {
            tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
          }),
          delta(responseId, { tool_calls: [{ index, function: { arguments: start } }] }),
          delta(responseId, { tool_calls: [{ index, function: { arguments: end } }] }),
        ]
      }),
      chunk(responseId, { choices: [{ index: 0, delta: {}, finish_reason: finishReason }] }),
      chunk(responseId, { choices: [], usage }),
      'data: [DONE]\n\n',
    ]
  },

  opening({ responseId, text }) {
    return [
      delta(responseId, { role: 'assistant', content: null }),
      ...text.map((content) => delta(responseId, { content })),
    ]
  },

  overloaded: (message) => serverSentEvent({ error: { message, type: 'server_error', code: '503' } }),

  error: (message) => ({ error: { message, type: 'error', param: null, code: null } }),
}

const usage = {
  prompt_tokens: tokens.input,
  completion_tokens: tokens.output,
  total_tokens: tokens.input + tokens.output,
  prompt_tokens_details: { cached_tokens: tokens.cacheRead },
  completion_tokens_details: { reasoning_tokens: tokens.reasoning },
}

function delta(id: Reply['responseId'], content: object): string {
  return chunk(id, { choices: [{ index: 0, delta: content, finish_reason: null }] })
}

function chunk(id: Reply['responseId'], content: object): string {
  return serverSentEvent({
    id,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'chat-1',
    ...content,
  })
}
