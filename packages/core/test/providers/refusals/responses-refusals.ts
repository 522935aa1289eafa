import type { Refusal, Refuse } from './refusal.ts'

/** What of the Responses API's request the rules are about: https://platform.openai.com/docs/api-reference/responses */
interface ResponsesBody {
  input: { type?: string; role?: string; id?: string; call_id?: string }[]
}

/** As OpenAI refuses: `{ error: { message, type, param, code } }` with the status 400. */
export const refuseResponses: Refuse<ResponsesBody> = ({ input }) => {
  const ids = (type: string): string[] =>
    input.flatMap((item) => (item.type === type ? [String(item.call_id)] : []))
  const calls = ids('function_call')
  const outputs = ids('function_call_output')
  const open = calls.find((id) => !outputs.includes(id))
  if (open !== undefined) return refuse(`No tool output found for function call ${open}.`)
  const unknown = outputs.find((id) => !calls.includes(id))
  if (unknown !== undefined)
    return refuse(`No tool call found for function call output with call_id ${unknown}.`)
  for (const [index, item] of input.entries()) {
    const isReasoning =
      item.type === 'reasoning' || (item.type === 'item_reference' && item.id?.startsWith('rs_'))
    const next = input[index + 1]
    if (isReasoning && (next === undefined || next.role === 'user'))
      return refuse(`Item '${item.id}' of type 'reasoning' was provided without its required following item.`)
    if ((item.call_id?.length ?? 0) > 64)
      return refuse(
        `Invalid 'input[${index}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${item.call_id?.length} instead.`,
      )
  }
  return undefined
}

function refuse(message: string): Refusal {
  return {
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param: 'input', code: null } },
  }
}
