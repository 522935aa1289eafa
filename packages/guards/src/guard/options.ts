import { MillraceError, type OptionNames, requireOneOf } from '@millrace/core'
import type { Detection } from '../scanner/recognizer.ts'

/**
 * Where a guard checks text. `input`: the messages of the caller in this turn, and all that a request of another program
 * has beside its messages. `history`: remembered and context
 * messages, with all their parts. `tool-input` and `tool-result`: what the model passes to tools; their results and
 * errors, suspension payloads, and what they show the model. `reasoning`. `object`: a structured answer. `answer`: any
 * other answer, with its files and sources, and the metadata of the model's provider.
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

/** The names of the surfaces in a reason. */
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
 * What happens to a finding. `block` ends the run with a tripwire; a remembered or context message is left out of the
 * prompt instead. `halt` is like `block`, but ends the run with an answer. `redact` replaces the finding. `warn` only
 * reports it. `filter` removes the whole message or, in the output, the text or reasoning parts with the finding; tool
 * input and results cannot be removed and are redacted.
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

export const GUARD_OPTIONS: OptionNames<GuardOptions> = {
  id: 'optional',
  strategy: 'optional',
  response: 'optional',
  surfaces: 'optional',
  mode: 'optional',
  onDetection: 'optional',
  onError: 'optional',
}

/** @throws MillraceError `CONFIG_INVALID` for an unknown name, and for a `response` without `strategy: 'halt'`. */
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

/** A detection and its place in the run. Never contains the value itself. */
export interface Finding extends Detection {
  readonly processorId: string
  readonly surface: Surface
  readonly strategy: Strategy
  /** False in `monitor` mode. */
  readonly enforced: boolean
  /** The message that contains it, if there is one. */
  readonly messageId?: string
  /** The tool call it belongs to. */
  readonly toolCallId?: string
}

/** The default replacement. An e-mail address stays recognizable as one. */
export function mask({ type }: Pick<Detection, 'type'>): string {
  return type === 'email' ? '***@***.***' : '[REDACTED]'
}
