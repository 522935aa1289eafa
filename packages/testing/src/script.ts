import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { text } from './parts/text.ts'
import { ScriptError } from './script-error.ts'
import type { ScriptPart } from './script-part.ts'
import { type TurnContext, TurnWriter, type WrittenTurn } from './turn-writer.ts'

/** One answer of the model. A string means `text(string)`; an array is one answer with several parts. */
export type TurnContent = string | ScriptPart | readonly (string | ScriptPart)[]

/** Returns the turn for a call. `index` is the number of the call, from 0. */
export type TurnFunction = (
  call: LanguageModelV4CallOptions,
  index: number,
) => TurnContent | PromiseLike<TurnContent>

export type Turn = TurnContent | TurnFunction

/** One turn per model call, in order, or a function that returns the turn of each call. */
export type Script = readonly Turn[] | TurnFunction

/** Throws a `ScriptError` for errors that are visible before the first call. */
export function checkScript(script: Script, context: Omit<TurnContext, 'index'>): void {
  if (typeof script === 'function') return
  script.forEach((turn, index) => {
    if (typeof turn !== 'function') writeTurn(turn, { ...context, index })
  })
}

/** The turn for the call at `index`. */
export async function turnAt(
  script: Script,
  call: LanguageModelV4CallOptions,
  { index, repeat }: { index: number; repeat: 'last' | undefined },
): Promise<TurnContent> {
  const turn = typeof script === 'function' ? script : (script[index] ?? (repeat && script.at(-1)))
  if (turn === undefined) throw new ScriptError(runOut(script.length, index + 1))
  return typeof turn === 'function' ? await turn(call, index) : turn
}

/** Converts an answer to the parts of its stream. */
export function writeTurn(content: TurnContent, context: TurnContext): WrittenTurn {
  const writer = new TurnWriter(context)
  for (const part of isList(content) ? content : [content]) {
    if (typeof part === 'string') text(part).writeTo(writer)
    else if (typeof part?.writeTo === 'function') part.writeTo(writer)
    else throw writer.error('has an item that is neither a string nor from a builder such as text()')
  }
  return writer.end()
}

function isList(content: TurnContent): content is readonly (string | ScriptPart)[] {
  return Array.isArray(content)
}

function runOut(turns: number, callNumber: number): string {
  return (
    `The script has ${turns} ${turns === 1 ? 'turn' : 'turns'}, and this is call ${callNumber} of the model. ` +
    `Add a turn, pass { repeat: 'last' } as option, or give a function as the script.`
  )
}
