import type { Evidence, InjectionPattern } from './injection-scorer.ts'
import type { InjectionClassifier } from './own-classifier.ts'

/**
 * Where text comes in. `input`: the messages of the caller in this turn. `history`: remembered, recalled and retrieved
 * messages, with their reasoning, tool calls and sources. `tool-result`: outputs and errors of tools, and what they
 * show the model. `file`: names of files and the content of text files. `tool-definition`: names, descriptions, schemas
 * and examples of tools before each model call: those of an MCP server come from outside.
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
 * What happens to an attack. `block` ends the run with a tripwire; a remembered or context message, or a tool, is left
 * out of the prompt instead. `halt` is like `block`, but ends the run with an answer. `warn` only reports it. `filter`
 * removes the message or the tool; a tool result or the content of a file cannot be removed, and is replaced by a
 * notice. `rewrite` replaces the passages of the attack by a notice, and leaves a tool out.
 */
export type InjectionStrategy = 'block' | 'halt' | 'warn' | 'filter' | 'rewrite'

/** From the fewest false positives to the fewest false negatives. */
export type InjectionPreset = 'lenient' | 'balanced' | 'strict'

/**
 * The minimum score of an attack, by surface, chosen on texts from sources that were not in the training data. Prompts
 * and data have separate models. The threshold of tool definitions is the highest, since definitions contain orders.
 */
export const THRESHOLDS: Readonly<Record<InjectionPreset, Readonly<Record<InjectionSurface, number>>>> = {
  lenient: { input: 0.86, history: 0.86, 'tool-result': 0.94, file: 0.94, 'tool-definition': 0.995 },
  balanced: { input: 0.8, history: 0.8, 'tool-result': 0.9, file: 0.9, 'tool-definition': 0.98 },
  strict: { input: 0.62, history: 0.62, 'tool-result': 0.83, file: 0.83, 'tool-definition': 0.95 },
}

/** An attack and its place in the run. Never contains its text. */
export interface InjectionFinding {
  readonly type: 'prompt-injection'
  readonly processorId: string
  readonly surface: InjectionSurface
  readonly strategy: InjectionStrategy
  /** False in `monitor` mode. */
  readonly enforced: boolean
  /** From 0 to 1. */
  readonly score: number
  /**
   * In UTF-16 units of the text: the text of a message, the name or content of a file, or the strings of a result
   * joined by line breaks.
   */
  readonly start: number
  readonly end: number
  readonly evidence: readonly Evidence[]
  readonly messageId?: string
  readonly toolCallId?: string
  /** The tool whose definition contains it. */
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
   * The minimum score of an attack: a preset, one number from 0 to 1, or numbers by surface; other surfaces keep their
   * default. Presets are for the built-in classifier. Default: `'balanced'`; with `classifier`, 0.5.
   */
  readonly threshold?: InjectionPreset | number | Readonly<Partial<Record<InjectionSurface, number>>>
  /** Which of this turn's messages are checked: `'all'`, or the `'last'`. Default: `'all'`. */
  readonly inputScope?: 'last' | 'all'
  /**
   * Regular expressions, or `{ pattern, score }` with a score from 0 to 1 (default: 1). They are matched with the text
   * as written and as decoded, in linear time.
   */
  readonly patterns?: readonly (RegExp | InjectionPattern)[]
  /** A function of a text and a signal that returns a score from 0 to 1. It replaces the built-in classifier. */
  readonly classifier?: InjectionClassifier
  /** The timeout of `classifier` for one text, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number
  /** `'monitor'` reports and changes nothing. Default: `'enforce'`. */
  readonly mode?: 'enforce' | 'monitor'
  /** Called for every attack, with surface, score, position and the evidence of each layer, but never the text. */
  readonly onDetection?: (finding: InjectionFinding) => void
  /** `'skip'` continues the run without the guard if the guard fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}
