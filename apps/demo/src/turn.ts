import type { ProcessorRecord } from '@millrace/core'
import type { ChosenModel } from './choose-model.ts'
import type { Conversation } from './conversation.ts'
import { describeFailure } from './failure.ts'
import { processorTable } from './processor-table.ts'
import { printable, type Terminal } from './terminal.ts'
import { TurnView } from './turn-view.ts'

/** The context of turns. */
export interface Session {
  conversation: Conversation
  chosen: ChosenModel
  terminal: Terminal
}

export type TurnOutcome = 'answered' | 'aborted' | 'failed'

/**
 * Executes a turn, shows it, and shows which processor did what. For `/memory`, shows the memory. Errors are shown, not
 * thrown.
 */
export async function takeTurn(
  text: string,
  { conversation, chosen, terminal }: Session,
  abortSignal: AbortSignal,
): Promise<TurnOutcome> {
  const view = new TurnView(terminal)
  try {
    if (text.trim() === '/memory') {
      for (const line of await conversation.remembered()) terminal.line(printable(line))
      return 'answered'
    }
    const result = await conversation.turn(text, { show: (chunk) => view.show(chunk), abortSignal })
    terminal.freshLine()
    const { lastSeen } = conversation
    if (lastSeen !== undefined && isRedaction(result.processors) && lastSeen !== text) {
      terminal.line(terminal.style('dim', `The model saw: ${printable(lastSeen)}`))
    }
    if (result.status === 'suspended') {
      terminal.line(
        terminal.style('cyan', printable((await conversation.request()) ?? 'The run is suspended.')),
      )
    }
    const table = processorTable(result.processors, terminal)
    if (table !== undefined) terminal.line(table)
    return result.status === 'aborted' ? 'aborted' : 'answered'
  } catch (error) {
    terminal.line(terminal.style('red', `Error: ${describeFailure(error, chosen)}`))
    return 'failed'
  }
}

/** Whether a guard changed the user's message. */
function isRedaction(records: readonly ProcessorRecord[]): boolean {
  return records.some(
    ({ processorId, hook, action }) =>
      hook === 'processInput' && action === 'changed' && GUARDS.includes(processorId),
  )
}

const GUARDS: readonly string[] = ['pii-detector', 'secret-detector', 'unicode-normalizer']
