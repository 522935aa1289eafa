import { MillraceError, type OptionNames, requireOptions } from '@millrace/core'
import { yieldToEventLoop } from '../event-loop.ts'
import { Alphabet } from './alphabet.ts'
import { withAnyDigit } from './any-digit.ts'
import { Automaton } from './automaton.ts'
import type { CharacterSet } from './character-set.ts'
import { behind, introductionOf } from './named.ts'
import { longest, type PatternNode, parsePattern, parseSet } from './pattern.ts'
import { GraphBuilder, PatternGraph } from './pattern-graph.ts'
import { type Detection, type PatternRecognizer, RECOGNIZER, type Recognizer } from './recognizer.ts'
import type {
  CompiledContext,
  CompiledFunction,
  CompiledRecognizer,
  CompiledRest,
  ScanMachine,
  SetTest,
} from './scan-machine.ts'
import type { ScanSink } from './scan-sink.ts'
import { hasLetter, TextScan } from './text-scan.ts'

export interface ScannerOptions {
  /** The minimum score of a detection, from 0 to 1. Default: 0.5. */
  readonly threshold?: number
}

const SCANNER_OPTIONS: OptionNames<ScannerOptions> = { threshold: 'optional' }

/** A recognizer whose pattern is already a syntax tree: for generated patterns. */
export interface TreeRecognizer extends Omit<PatternRecognizer, 'pattern' | 'rest'> {
  readonly pattern: PatternNode
  readonly rest?: { readonly maxLength?: number; readonly while: CharacterSet }
}

/**
 * Finds what its recognizers describe in texts that arrive in chunks. The findings do not depend on how a text is cut.
 * One scanner serves any number of texts at the same time.
 *
 * For each recognizer, the leftmost and then longest match is taken, and the next match begins after its end. A match
 * within a longer match is dropped; of two overlapping matches both are reported.
 */
export class Scanner {
  /** @internal */
  readonly machine: ScanMachine

  /** @throws MillraceError `CONFIG_INVALID` if a pattern cannot run in linear time, or has no maximum length. */
  constructor(recognizers: readonly (Recognizer | TreeRecognizer)[], given: ScannerOptions = {}) {
    const options = requireOptions('Scanner', given, SCANNER_OPTIONS)
    const steps = compile(recognizers, options.threshold ?? 0.5)
    let step = steps.next()
    while (!step.done) step = steps.next()
    this.machine = step.value
  }

  /**
   * Like the constructor, in steps that yield to the event loop: compiling hundreds of patterns takes a while. It also
   * warms up the automaton with sample texts, so that the first real text is fast.
   *
   * @throws MillraceError Like the constructor
   */
  static async load(
    recognizers: readonly (Recognizer | TreeRecognizer)[],
    given: ScannerOptions = {},
  ): Promise<Scanner> {
    const options = requireOptions('Scanner.load()', given, SCANNER_OPTIONS)
    const steps = compile(recognizers, options.threshold ?? 0.5)
    let step = steps.next()
    while (!step.done) {
      await yieldToEventLoop()
      step = steps.next()
    }
    const scanner = Object.assign(new Scanner([]), { machine: step.value })
    for (const sample of SAMPLES) {
      const scan = scanner.open({ pass: ignore, match: ignore, cover: ignore })
      for (let start = 0; start < sample.length; start += SAMPLE_STEP) {
        await yieldToEventLoop()
        scan.push(sample.slice(start, start + SAMPLE_STEP))
      }
      await yieldToEventLoop()
      scan.end()
    }
    return scanner
  }

  /** The maximum length of text that is held back, in UTF-16 units. */
  get maxLength(): number {
    const { maxLength, functionReach, recognizers } = this.machine
    return Math.max(maxLength, functionReach, ...recognizers.map(({ rest }) => rest?.reach ?? 0))
  }

  /** Opens a text. The name of the property it is in, if any, is scanned before it as context words. */
  open(sink: ScanSink, name?: string): TextScan {
    if (name === undefined) return new TextScan(this.machine, sink)
    const introduction = introductionOf(name)
    const scan = new TextScan(this.machine, behind(introduction, sink))
    scan.push(introduction)
    return scan
  }

  /** The detections of a whole text, in order of their start. */
  detect(text: string): Detection[] {
    const found: Detection[] = []
    const scan = this.open({ pass: ignore, match: (detection) => found.push(detection), cover: ignore })
    scan.push(text)
    scan.end()
    return found
  }

  /** Replaces every finding in a whole text. Overlapping findings get one replacement. */
  replace(text: string, replacement: (detection: Detection, value: string) => string): string {
    let out = ''
    let place = 0
    const scan = this.open({
      pass(units) {
        out += text.slice(place, place + units)
        place += units
      },
      match(detection, value, { continues }) {
        if (!continues) out += replacement(detection, value)
      },
      cover(units) {
        place += units
      },
    })
    scan.push(text)
    scan.end()
    return out
  }
}

function ignore(): void {}

/** The characters that most texts are made of. */
const SAMPLES = [
  'The quick brown fox jumps over the lazy dog. Pack my box with five dozen liquor jugs!',
  'THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG; is it 6:30 already (or 7.45)?',
  'Call +44 20 7946 0958, or write to ada@example.com about order #1234-5678-9012 of 12/03/2024.',
  '{"id": 42, "key": "value_1", "url": "https://example.com/a?b=c&d=e%20f"}, [x] = y * 10 ^ 3 <br>',
]

/** In UTF-16 units. The first characters are slow, since their transitions must be computed. */
const SAMPLE_STEP = 4

/** How much of the patterns is compiled in one step, in characters; at least one pattern. */
const STEP = 256
/** The number of graph nodes that are created in one step. */
const STEP_NODES = 2_048

function* compile(
  recognizers: readonly (Recognizer | TreeRecognizer)[],
  threshold: number,
): Generator<void, ScanMachine, undefined> {
  if (!Array.isArray(recognizers)) {
    throw new MillraceError('CONFIG_INVALID', 'The recognizers of a Scanner are not a list. Pass an array.')
  }
  const byPattern: CompiledRecognizer[] = []
  const byFunction: { recognizer: CompiledRecognizer; compiled: Omit<CompiledFunction, 'recognizer'> }[] = []
  const trees: PatternNode[] = []
  let length = 0
  for (const recognizer of recognizers) {
    requireOptions<Recognizer>('A recognizer', recognizer as Recognizer, RECOGNIZER)
    const own = lengthOf(recognizer)
    length += own
    if (length > STEP) {
      yield
      length = own
    }
    if ('match' in recognizer) {
      const { match, maxLength, starts } = recognizer
      const compiled = { match, maxLength, starts: starts && testOf(parseSet(starts)) }
      requireLength(recognizer, maxLength)
      byFunction.push({ recognizer: prepare(recognizer, maxLength), compiled })
    } else {
      const { pattern, anyDigit = false } = recognizer
      const tree = isTree(pattern) ? pattern : parsePattern(pattern).root
      const maxLength = recognizer.maxLength ?? longest(tree)
      requireLength(recognizer, maxLength)
      if (own > STEP) yield
      trees.push(anyDigit ? withAnyDigit(tree) : tree)
      const exact = anyDigit && !isTree(pattern) ? wholeOf(pattern) : undefined
      byPattern.push({ ...prepare(recognizer, maxLength), exact })
    }
  }
  const graph = new GraphBuilder()
  for (let next = 0, nodes = 0; next < trees.length; next++) {
    graph.add(trees[next] as PatternNode)
    if (graph.size - nodes < STEP_NODES) continue
    yield
    nodes = graph.size
  }
  yield
  const patterns = new PatternGraph(graph)
  yield
  return {
    automaton: new Automaton(patterns),
    recognizers: [...byPattern, ...byFunction.map(({ recognizer }) => recognizer)],
    functions: byFunction.map(({ compiled }, index) => ({
      ...compiled,
      recognizer: byPattern.length + index,
    })),
    threshold,
    readsContext: recognizers.some(({ context = [] }) => context.length > 0),
    maxLength: Math.max(0, ...byPattern.map(({ maxLength }) => maxLength)),
    functionReach: Math.max(0, ...byFunction.map(({ compiled }) => compiled.maxLength)),
    reachAt:
      byFunction.length === 0
        ? undefined
        : (codePoint) =>
            byFunction.reduce((reach, { compiled: { starts, maxLength } }) => {
              return maxLength > reach && (!starts || starts(codePoint)) ? maxLength : reach
            }, 0),
  }
}

/** The length of its pattern, in characters. Functions and parsed patterns take little time. */
function lengthOf(recognizer: Recognizer | TreeRecognizer): number {
  return 'pattern' in recognizer && !isTree(recognizer.pattern) ? recognizer.pattern.source.length : 8
}

/** A test of the whole match. Assertions on the text around it have already been evaluated. */
function wholeOf({ source, flags }: RegExp): RegExp {
  return new RegExp(`^(?:${source})$`, flags.replace(/[gy]/g, ''))
}

function isTree(pattern: RegExp | PatternNode): pattern is PatternNode {
  return 'kind' in pattern
}

function prepare(recognizer: Recognizer | TreeRecognizer, maxLength: number): CompiledRecognizer {
  const { type, id = type, rest, part, score = 1 } = recognizer
  return {
    type,
    id,
    maxLength,
    score: typeof score === 'function' ? score : () => score,
    context: contextOf(recognizer),
    part,
    rest: rest && compileRest(recognizer, rest),
    exact: undefined,
  }
}

function automatonOf(patterns: readonly PatternNode[]): Automaton {
  const graph = new GraphBuilder()
  for (const pattern of patterns) graph.add(pattern)
  return new Automaton(new PatternGraph(graph))
}

function compileRest(
  recognizer: Recognizer | TreeRecognizer,
  rest: NonNullable<(Recognizer | TreeRecognizer)['rest']>,
): CompiledRest {
  const { maxLength = Number.POSITIVE_INFINITY } = rest
  if ('while' in rest) {
    const set = rest.while instanceof RegExp ? parseSet(rest.while) : rest.while
    return { maxLength, automaton: undefined, reach: 0, repeats: false, while: testOf(set) }
  }
  const expressions = 'until' in rest ? [rest.until] : [rest.repeat, ...(rest.last ? [rest.last] : [])]
  const patterns = expressions.map(parsePattern)
  for (const pattern of patterns) requireLength(recognizer, pattern.maxLength)
  return {
    maxLength,
    automaton: automatonOf(patterns.map(({ root }) => root)),
    reach: Math.max(...patterns.map((pattern) => pattern.maxLength)),
    repeats: 'repeat' in rest,
    while: undefined,
  }
}

/** Scripts without spaces between words: a word is found anywhere. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function contextOf({ context = [], contextScore }: Recognizer | TreeRecognizer): CompiledContext | undefined {
  if (context.length === 0) return undefined
  const words = context.map((word) =>
    word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '[\\s_-]*'),
  )
  // A quick test without Unicode properties, which is about ten times faster: most texts contain none of the words.
  const letters = new RegExp(words.join('|'), 'i')
  const spaced = words.filter((word) => !UNSPACED.test(word))
  const unspaced = words.filter((word) => UNSPACED.test(word))
  const whole = spaced.length > 0 ? [`(?<![\\p{L}\\p{N}])(?:${spaced.join('|')})(?![\\p{L}\\p{N}])`] : []
  const pattern = new RegExp([...whole, ...unspaced].join('|'), 'iu')
  return {
    hasLetters: context.every(hasLetter),
    isIn: (before) =>
      letters.test(before) &&
      (pattern.test(before) || pattern.test(before.replace(/(?<=[a-z])(?=[A-Z])/g, ' '))),
    raise: (score) => contextScore ?? Math.min(1, score + 0.35),
  }
}

function requireLength({ type }: Recognizer | TreeRecognizer, maxLength: number): void {
  if (Number.isInteger(maxLength) && maxLength > 0) return
  const problem =
    maxLength === Number.POSITIVE_INFINITY
      ? 'has no longest match. Bound its repetitions, as {1,64}, or give maxLength'
      : `has the longest match ${maxLength}. Pass an integer of at least 1`
  throw new MillraceError('CONFIG_INVALID', `The recognizer '${type}' ${problem}.`)
}

function testOf(set: CharacterSet): SetTest {
  const alphabet = new Alphabet()
  const id = alphabet.add(set)
  return (codePoint) => alphabet.contains(id, alphabet.classOf(codePoint))
}
