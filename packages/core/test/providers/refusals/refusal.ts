import { type Answer, fails, streams } from '../loopback-server.ts'

/** How a provider refuses a request: the status and body of its answer. */
export interface Refusal {
  status: number
  body: object
}

/** What a provider refuses of the body of a request, in its own words, or `undefined` where it answers. */
export type Refuse<BODY> = (body: BODY) => Refusal | undefined

/** A server that refuses what the provider refuses, and answers all else. */
export function strict<BODY>(refuse: Refuse<BODY>, reply: readonly string[]): Answer {
  return (exchange) => {
    const refusal = refuse(exchange.body as BODY)
    if (refusal) fails(refusal.status, refusal.body)(exchange)
    else streams(reply)(exchange)
  }
}
