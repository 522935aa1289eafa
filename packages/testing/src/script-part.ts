import type { TurnWriter } from './turn-writer.ts'

/** The result of a builder such as `text()`: it adds its parts to the current turn. */
export interface ScriptPart {
  writeTo(turn: TurnWriter): void
}
