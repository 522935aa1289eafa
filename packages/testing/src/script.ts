import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { text } from './parts/text.ts'
import { ScriptError } from './script-error.ts'
import type { ScriptPart } from './script-part.ts'
import { type TurnContext, TurnWriter, type WrittenTurn } from './turn-writer.ts'

/**
 * One answer of the model. A string stands for `text(string)`; an array is one answer made of several parts.
 */
export type TurnContent = string | ScriptPart | readonly (string | ScriptPart)[]

/** Makes a turn from the call it answers. `index` counts the model's calls from 0. */
export type TurnFunction = (
  call: LanguageModelV4CallOptions,
  index: number,
) => TurnContent | PromiseLike<TurnContent>

export type Turn = TurnContent | TurnFunction

/**
 * One turn per model call, in order; or a function that makes every turn, as often as the model is called.
 */
export type Script = readonly Turn[] | TurnFunction

/** Throws a `ScriptError` for mistakes that can be seen before the model is called. */
export function checkScript(script: Script, context: Omit<TurnContext, 'index'>): void {
  if (typeof script === 'function') return
  script.forEach((turn, index) => {
    if (typeof turn !== 'function') writeTurn(turn, { ...context, index })
  })
}

/** The turn that answers the call at `index`. */
export async function turnAt(
  script: Script,
  call: LanguageModelV4CallOptions,
  { index, repeat }: { index: number; repeat: 'last' | undefined },
): Promise<TurnContent> {
  const turn = typeof script === 'function' ? script : (script[index] ?? (repeat && script.at(-1)))
  if (turn === undefined) throw new ScriptError(runOut(script.length, index + 1))
  return typeof turn === 'function' ? await turn(call, index) : turn
}

/** Turns an answer into the steps its stream takes. */
export function writeTurn(content: TurnContent, context: TurnContext): WrittenTurn {
  const writer = new TurnWriter(context)
  for (const part of isList(content) ? content : [content]) {
    if (typeof part === 'string') text(part).writeTo(writer)
    else if (typeof part?.writeTo === 'function') part.writeTo(writer)
    else throw writer.error('holds something that is neither a string nor made by a builder such as text()')
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
