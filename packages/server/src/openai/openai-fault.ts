interface OpenAIError {
  error: { message: string; type: string; param: string | null; code: string | null }
}

/** An error in OpenAI's format, with its status. */
export interface OpenAIFault {
  status: number
  body: OpenAIError
  headers?: Record<string, string>
  /** Whether the server's operator has to know of it. */
  isOperators: boolean
}

export function fault(
  status: number,
  type: string,
  message: string,
  { param = null, code = null, headers, isOperators = status >= 500 }: FaultFields = {},
): OpenAIFault {
  const body = { error: { message, type, param, code } }
  return { status, body, isOperators, ...(headers && { headers }) }
}

interface FaultFields {
  param?: string | null | undefined
  code?: string | null | undefined
  headers?: Record<string, string> | undefined
  /** Default: faults of the server. */
  isOperators?: boolean | undefined
}

export function errorResponse({ status, body, headers }: OpenAIFault): Response {
  return Response.json(body, { status, ...(headers && { headers }) })
}

/** Tells OpenAI's clients not to send the request again, which they otherwise do after 408, 409, 429 and 5xx. */
export const NO_RETRY = { 'x-should-retry': 'false' }

export function retryAfterHeader(milliseconds: number): Record<string, string> {
  return { 'retry-after': String(Math.ceil(milliseconds / 1_000)) }
}
