import { type Call, inputPieces, type Reply, serverSentEvent, tokens, type Wire } from './wire.ts'

/** The Messages API of Anthropic. */
export const anthropicWire: Wire = {
  reply({ responseId, reasoning, text = [], calls = [], cutOff }) {
    const blocks = [
      ...(reasoning ? [thinkingBlock(reasoning)] : []),
      ...(text.length > 0 ? [textBlock(text)] : []),
      ...calls.map(callBlock),
    ]
    const stopReason = cutOff ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn'
    return [
      ...start(responseId),
      ...blocks.flatMap((block, index) => block(index)),
      event('message_delta', { delta: { stop_reason: stopReason, stop_sequence: null }, usage }),
      event('message_stop', {}),
    ]
  },

  opening({ responseId, text }) {
    return [...start(responseId), ...(text.length > 0 ? textBlock(text)(0).slice(0, -1) : [])]
  },

  overloaded: (message) => event('error', { error: { type: 'overloaded_error', message } }),

  error: (message) => ({ type: 'error', error: { type: 'error', message } }),
}

const usage = {
  output_tokens: tokens.output,
  output_tokens_details: { thinking_tokens: tokens.reasoning },
}

/** Content blocks come one after the other, each with its index. */
type Block = (index: number) => string[]

function start(id: string): string[] {
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-1',
    content: [],
    stop_reason: null,
    usage: {
      input_tokens: tokens.input - tokens.cacheRead,
      cache_read_input_tokens: tokens.cacheRead,
      cache_creation_input_tokens: 0,
      output_tokens: 1,
    },
  }
  return [event('message_start', { message }), event('ping', {})]
}

function thinkingBlock({ text, seal }: NonNullable<Reply['reasoning']>): Block {
  return block({ type: 'thinking', thinking: '' }, [
    { type: 'thinking_delta', thinking: text },
    { type: 'signature_delta', signature: seal },
  ])
}

function textBlock(pieces: readonly string[]): Block {
  return block(
    { type: 'text', text: '' },
    pieces.map((text) => ({ type: 'text_delta', text })),
  )
}

function callBlock(call: Call): Block {
  return block(
    { type: 'tool_use', id: call.id, name: call.name, input: {} },
    inputPieces(call).map((json) => ({ type: 'input_json_delta', partial_json: json })),
  )
}

function block(content: object, deltas: readonly object[]): Block {
  return (index) => [
    event('content_block_start', { index, content_block: content }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
}

function event(type: string, content: object): string {
  return serverSentEvent({ type, ...content }, type)
}
