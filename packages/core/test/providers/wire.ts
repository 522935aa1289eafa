/** A model's reply, in terms that every provider's protocol can carry. */
export interface Reply {
  responseId: string
  /** What the model thought, with the seal its provider wants back unchanged. */
  reasoning?: { text: string; seal: string }
  /** The answer, in the pieces it is streamed in. */
  text?: readonly string[]
  calls?: readonly Call[]
  /** The model ran into its output limit. */
  cutOff?: boolean
}

export interface Call {
  id: string
  name: string
  input: object
}

/** What every reply says it used. */
export const tokens = { input: 100, cacheRead: 40, output: 20, reasoning: 8 }

/** A provider's protocol, as its server speaks it. */
export interface Wire {
  /** The events of a whole reply. */
  reply(reply: Reply): string[]
  /** The first events of `reply({ responseId, text })`: up to the last of `text`, which may be empty. */
  opening(reply: { responseId: string; text: readonly string[] }): string[]
  /** The event of a provider that is overloaded. */
  overloaded(message: string): string
  /** The body of an HTTP error. */
  error(message: string): object
}

/** A server-sent event with JSON data. */
export function serverSentEvent(data: object, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`
}

/** A call's input as JSON, in the two pieces it is streamed in. */
export function inputPieces({ input }: Call): [string, string] {
  const json = JSON.stringify(input)
  const middle = Math.floor(json.length / 2)
  return [json.slice(0, middle), json.slice(middle)]
}

/** The conversation in a request, without instructions, as the provider's protocol has it. */
export function transcriptOf(body: unknown): object[] {
  const { messages, input } = body as { messages?: object[]; input?: object[] }
  return messages ?? input ?? []
}
