import { type Call, inputPieces, type Reply, serverSentEvent, tokens, type Wire } from './wire.ts'

/** The Responses API of OpenAI. */
export const openaiResponsesWire: Wire = {
  reply({ responseId, reasoning, text = [], calls = [], cutOff }) {
    const items = [
      ...(reasoning ? [reasoningItem(reasoning)] : []),
      ...(text.length > 0 ? [messageItem(text)] : []),
      ...calls.map(callItem),
    ]
    const type = cutOff ? 'response.incomplete' : 'response.completed'
    const details = cutOff ? { reason: 'max_output_tokens' } : null
    return [
      ...accepted(responseId),
      ...items.flatMap((item, index) => item(index)),
      event(type, { response: { ...response(responseId), incomplete_details: details, usage } }),
    ]
  },

  opening({ responseId, text }) {
    return [...accepted(responseId), ...(text.length > 0 ? messageItem(text)(0).slice(0, -1) : [])]
  },

  overloaded(message) {
    return event('error', {
      error: { type: 'server_error', code: 'server_overloaded', message, param: null },
    })
  },

  error: (message) => ({ error: { message, type: 'error', param: null, code: null } }),
}

const usage = {
  input_tokens: tokens.input,
  input_tokens_details: { cached_tokens: tokens.cacheRead },
  output_tokens: tokens.output,
  output_tokens_details: { reasoning_tokens: tokens.reasoning },
  total_tokens: tokens.input + tokens.output,
}

/** Output items come one after the other, each with its index. */
type Item = (index: number) => string[]

function accepted(responseId: string): string[] {
  return [
    event('response.created', { response: response(responseId) }),
    event('response.in_progress', { response: response(responseId) }),
  ]
}

function reasoningItem({ text, seal }: NonNullable<Reply['reasoning']>): Item {
  return (index) => {
    const item = { type: 'reasoning', id: `rs_${seal}`, summary: [], encrypted_content: null }
    const part = { item_id: item.id, output_index: index, summary_index: 0 }
    const summary = [{ type: 'summary_text', text }]
    return [
      event('response.output_item.added', { output_index: index, item }),
      event('response.reasoning_summary_part.added', part),
      event('response.reasoning_summary_text.delta', { ...part, delta: text }),
      event('response.reasoning_summary_part.done', part),
      event('response.output_item.done', {
        output_index: index,
        item: { ...item, summary, encrypted_content: seal },
      }),
    ]
  }
}

function messageItem(pieces: readonly string[]): Item {
  return (index) => {
    const item = { type: 'message', id: `msg_${index}`, role: 'assistant' }
    const part = { item_id: item.id, output_index: index, content_index: 0 }
    return [
      event('response.output_item.added', { output_index: index, item }),
      event('response.content_part.added', { ...part, part: { type: 'output_text', text: '' } }),
      ...pieces.map((delta) => event('response.output_text.delta', { ...part, delta })),
      event('response.output_item.done', { output_index: index, item }),
    ]
  }
}

function callItem(call: Call): Item {
  return (index) => {
    const [start, end] = inputPieces(call)
    const item = { type: 'function_call', id: `fc_${call.id}`, call_id: call.id, name: call.name }
    const place = { item_id: item.id, output_index: index }
    return [
      event('response.output_item.added', { output_index: index, item: { ...item, arguments: '' } }),
      event('response.function_call_arguments.delta', { ...place, delta: start }),
      event('response.function_call_arguments.delta', { ...place, delta: end }),
      event('response.function_call_arguments.done', { ...place, arguments: start + end }),
      event('response.output_item.done', {
        output_index: index,
        item: { ...item, arguments: start + end, status: 'completed' },
      }),
    ]
  }
}

function response(id: string): object {
  return { id, object: 'response', created_at: 1_700_000_000, model: 'responses-1' }
}

function event(type: string, content: object): string {
  return serverSentEvent({ type, sequence_number: 0, ...content }, type)
}
