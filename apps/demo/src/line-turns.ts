import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { EXAMPLES } from './examples.ts'
import { type Session, type TurnOutcome, takeTurn } from './turn.ts'

/**
 * Takes a turn for every line of `input`; if there is no line, for every example, in a new thread. An abort ends it. A
 * failure does not; it is returned.
 */
export async function takeLineTurns(
  input: Readable,
  session: Session,
  abortSignal: AbortSignal,
): Promise<TurnOutcome> {
  let outcome: TurnOutcome | undefined
  for await (const line of createInterface({ input })) {
    if (line.trim() === '') continue
    const turn = await takeEchoedTurn(line, session, abortSignal)
    if (turn === 'aborted') return turn
    if (turn === 'failed' || outcome === undefined) outcome = turn
  }
  if (outcome !== undefined) return outcome

  return takeExampleTurns(session, abortSignal)
}

/** Takes a turn for every example, in a new thread. */
export async function takeExampleTurns(session: Session, abortSignal: AbortSignal): Promise<TurnOutcome> {
  session.conversation.startNew()
  for (const { message } of EXAMPLES) {
    const turn = await takeEchoedTurn(message, session, abortSignal)
    if (turn !== 'answered') return turn
  }
  return 'answered'
}

function takeEchoedTurn(line: string, session: Session, abortSignal: AbortSignal): Promise<TurnOutcome> {
  const { terminal } = session
  terminal.line(terminal.style('bold', `> ${line}`))
  return takeTurn(line, session, abortSignal)
}
