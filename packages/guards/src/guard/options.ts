import { MillraceError, requireOneOf } from '@millrace/core'
import type { Detection } from '../scanner/recognizer.ts'

/**
 * Where text passes a guard. `input`: what the caller says in this turn. `history`: remembered and context messages,
 * with all their parts. `tool-input` and `tool-result`: what the model hands to tools; their results and errors, what they
 * wait for, and what they show the model. `reasoning`; `object`: a structured answer; `answer`: any other, with its files and
 * sources, and what the model's provider says.
 */
export type Surface = 'input' | 'history' | 'tool-input' | 'tool-result' | 'reasoning' | 'object' | 'answer'

export const SURFACES: readonly Surface[] = [
  'input',
  'history',
  'tool-input',
  'tool-result',
  'reasoning',
  'object',
  'answer',
]

/** The surfaces as a reason says them. */
export const SURFACE_NAMES: Record<Surface, string> = {
  input: 'the input',
  history: 'the history',
  'tool-input': 'the input of a tool',
  'tool-result': 'the result of a tool',
  reasoning: 'the reasoning',
  object: 'the structured answer',
  answer: 'the answer',
}

/**
 * What happens to a finding. `block` ends the run with a tripwire; in a remembered or context message it leaves that
 * message out of the prompt instead. `halt` does the same with an answer in place of the tripwire. `redact` puts a replacement in its place. `warn` only reports it. `filter` removes
 * the whole message, on output the text or reasoning parts it is in; in tool input and results, which cannot be left out, it
 * redacts.
 */
export type Strategy = 'block' | 'halt' | 'redact' | 'warn' | 'filter'

export interface GuardOptions {
  /** Set it if one agent has several guards of one class. Default: the name of the guard. */
  readonly id?: string
  /** What happens to a finding. Default: see each guard. */
  readonly strategy?: Strategy
  /**
   * The answer of a halted run: a text, or a function of the first finding. Only with `strategy: 'halt'`. Default: A
   * sentence that declines.
   */
  readonly response?: string | ((finding: Finding) => string)
  /** Which surfaces are checked. Default: all. */
  readonly surfaces?: readonly Surface[]
  /** `'monitor'` reports what would be done and changes nothing. Default: `'enforce'`. */
  readonly mode?: 'enforce' | 'monitor'
  /** Called for every finding. An error it throws fails the run. */
  readonly onDetection?: (finding: Finding) => void
  /** What happens if the guard itself fails. `'skip'` continues the run without the guard. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

/** @throws MillraceError `CONFIG_INVALID` for a name that is not known, and for a `response` that is never given. */
export function checkGuardOptions({
  strategy,
  mode,
  surfaces,
  response,
}: Required<Pick<GuardOptions, 'strategy' | 'mode' | 'surfaces'>> & Pick<GuardOptions, 'response'>): void {
  requireOneOf('strategy', strategy, ['block', 'halt', 'redact', 'warn', 'filter'])
  requireOneOf('mode', mode, ['enforce', 'monitor'])
  for (const surface of surfaces) requireOneOf('surfaces', surface, SURFACES)
  checkResponse(strategy, response)
}

/** @throws MillraceError `CONFIG_INVALID` */
export function checkResponse(strategy: string, response: unknown): void {
  if (response === undefined) return
  if (typeof response !== 'string' && typeof response !== 'function') {
    throw new MillraceError(
      'CONFIG_INVALID',
      `response is of type ${typeof response}. Pass a text, or a function of a finding that returns one.`,
    )
  }
  if (strategy === 'halt') return
  throw new MillraceError(
    'CONFIG_INVALID',
    `response is given, and strategy is '${strategy}', which gives no answer. Use strategy: 'halt', or leave response out.`,
  )
}

/** A detection, and where in the run it was made. Never the value itself. */
export interface Finding extends Detection {
  readonly processorId: string
  readonly surface: Surface
  readonly strategy: Strategy
  /** False in `monitor` mode. */
  readonly enforced: boolean
  /** The message it is in, where it was found in one. */
  readonly messageId?: string
  /** The tool call it belongs to. */
  readonly toolCallId?: string
}

/** What stands in the place of a finding: an e-mail address stays recognisable as one. */
export function mask({ type }: Pick<Detection, 'type'>): string {
  return type === 'email' ? '***@***.***' : '[REDACTED]'
}
