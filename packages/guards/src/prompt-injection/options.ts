import type { Evidence, InjectionPattern } from './injection-scorer.ts'
import type { InjectionClassifier } from './own-classifier.ts'

/**
 * Where text comes in. `input`: what the caller says in this turn. `history`: remembered, recalled and retrieved
 * messages, with what was thought, called and cited in them. `tool-result`: outputs and errors of tools, and what they show the
 * model. `file`: names of files and what is in text files. `tool-definition`: names, descriptions, schemas and examples of
 * tools, as they are before a model call: those of an MCP server come from outside.
 */
export type InjectionSurface = 'input' | 'history' | 'tool-result' | 'file' | 'tool-definition'

export const INJECTION_SURFACES: readonly InjectionSurface[] = [
  'input',
  'history',
  'tool-result',
  'file',
  'tool-definition',
]

/**
 * What happens to an attack. `block` ends the run with a tripwire; a remembered or context message, or a tool, is left out
 * of the prompt instead. `halt` does the same with an answer in place of the tripwire. `warn` only reports it. `filter`
 * removes the message or the tool; a tool result or a file's content, which cannot be left out, becomes a notice. `rewrite`
 * puts a notice in place of the passages that are the attack, and leaves a tool out.
 */
export type InjectionStrategy = 'block' | 'halt' | 'warn' | 'filter' | 'rewrite'

/** From the fewest false alarms to the fewest attacks missed. */
export type InjectionPreset = 'lenient' | 'balanced' | 'strict'

/**
 * The lowest score that counts, by surface, chosen on texts from sources that the classifier had not seen. Prompts and data have models
 * of their own; what defines a tool gives orders of its own.
 */
export const THRESHOLDS: Readonly<Record<InjectionPreset, Readonly<Record<InjectionSurface, number>>>> = {
  lenient: { input: 0.86, history: 0.86, 'tool-result': 0.86, file: 0.86, 'tool-definition': 0.995 },
  balanced: { input: 0.77, history: 0.77, 'tool-result': 0.75, file: 0.75, 'tool-definition': 0.98 },
  strict: { input: 0.6, history: 0.6, 'tool-result': 0.66, file: 0.66, 'tool-definition': 0.95 },
}

/** An attack, and where in the run it was found. Never its text. */
export interface InjectionFinding {
  readonly type: 'prompt-injection'
  readonly processorId: string
  readonly surface: InjectionSurface
  readonly strategy: InjectionStrategy
  /** False in `monitor` mode. */
  readonly enforced: boolean
  /** From 0 to 1. */
  readonly score: number
  /** In UTF-16 units of the text: that of a message, a file's name or content, the strings of a result by line. */
  readonly start: number
  readonly end: number
  readonly evidence: readonly Evidence[]
  readonly messageId?: string
  readonly toolCallId?: string
  /** The tool in whose definition it is. */
  readonly toolName?: string
}

export interface PromptInjectionDetectorOptions {
  /** Identifies the processor in results, events and errors. Default: `'prompt-injection-detector'`. */
  readonly id?: string
  /**
   * For all surfaces: `'block'`, `'halt'`, `'warn'`, `'filter'` or `'rewrite'`. Default: `'block'`; for `'history'`,
   * `'tool-result'` and `'file'`, `'rewrite'`.
   */
  readonly strategy?: InjectionStrategy
  /**
   * The answer of a halted run: a text, or a function of the finding. Only with `'halt'`. Default: a sentence that
   * declines.
   */
  readonly response?: string | ((finding: InjectionFinding) => string)
  /**
   * `'input'`; `'history'` (remembered, recalled and retrieved messages), each with its reasoning, tool calls and
   * sources; `'tool-result'` (outputs and errors, and what a tool shows the model); `'file'` (names, and content of
   * text files); `'tool-definition'` (names, descriptions, schemas and examples of tools). Default: all five.
   */
  readonly surfaces?: readonly InjectionSurface[]
  /**
   * The lowest score that counts: a preset, one number from 0 to 1, or numbers by surface, the other surfaces as by
   * default. Presets are for the classifier that ships. Default: `'balanced'`; with `classifier`, 0.5.
   */
  readonly threshold?: InjectionPreset | number | Readonly<Partial<Record<InjectionSurface, number>>>
  /** Which of this turn's messages are checked: `'all'`, or the `'last'`. Default: `'all'`. */
  readonly inputScope?: 'last' | 'all'
  /**
   * Expressions of your own, or `{ pattern, score }` with a score from 0 to 1 (default: 1). They match text as it is
   * written or decoded, in linear time.
   */
  readonly patterns?: readonly (RegExp | InjectionPattern)[]
  /** A function of a text and a signal that gives a score from 0 to 1, in place of the classifier that ships. */
  readonly classifier?: InjectionClassifier
  /** How long `classifier` may take for one text. Default: 10,000. */
  readonly timeoutMs?: number
  /** `'monitor'` reports and changes nothing. Default: `'enforce'`. */
  readonly mode?: 'enforce' | 'monitor'
  /** Called for every attack with surface, score, place and the evidence of each layer, never with the text. */
  readonly onDetection?: (finding: InjectionFinding) => void
  /** `'skip'` continues the run without the guard if the guard fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}
