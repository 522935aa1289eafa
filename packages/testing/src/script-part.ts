import type { TurnWriter } from './turn-writer.ts'

/** What a builder such as `text()` returns: it writes what the model does into the turn being played. */
export interface ScriptPart {
  writeTo(turn: TurnWriter): void
}
