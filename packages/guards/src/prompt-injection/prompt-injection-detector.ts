import {
  MillraceError,
  type OptionNames,
  requireFraction,
  requireOneOf,
  requireOptions,
  requireTime,
} from '@millrace/core'
import { yieldToEventLoop } from '../event-loop.ts'
import { checkResponse } from '../guard/options.ts'
import { once, SurfaceGuard } from '../guard/surface-guard.ts'
import type { SurfaceRun } from '../guard/surface-run.ts'
import { isPromise } from '../guard/task.ts'
import { Treatment } from '../guard/treatment.ts'
import { parsePattern } from '../scanner/pattern.ts'
import { CleanTexts } from './clean-texts.ts'
import type { InjectionPattern } from './injection-scorer.ts'
import { InjectionSurfaces } from './injection-surfaces.ts'
import {
  INJECTION_SURFACES,
  type InjectionSurface,
  type PromptInjectionDetectorOptions,
  THRESHOLDS,
} from './options.ts'

/**
 * Finds prompt injections: orders hidden in what the model reads. Needs no model; its classifier is loaded on first
 * use. Blocks by default.
 */
export class PromptInjectionDetector extends SurfaceGuard {
  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: PromptInjectionDetectorOptions = {}) {
    const {
      id = 'prompt-injection-detector',
      strategy: chosen,
      surfaces = INJECTION_SURFACES,
      threshold,
      inputScope = 'all',
      patterns = [],
      classifier,
      timeoutMs = 10_000,
      mode = 'enforce',
      response,
      onDetection,
      onError = 'fail',
    } = requireOptions('PromptInjectionDetector', options, PROMPT_INJECTION_DETECTOR_OPTIONS)
    const strategy = chosen ?? 'block'
    requireOneOf('strategy', strategy, ['block', 'halt', 'warn', 'filter', 'rewrite'])
    requireOneOf('mode', mode, ['enforce', 'monitor'])
    requireOneOf('inputScope', inputScope, ['last', 'all'])
    for (const surface of surfaces) requireOneOf('surfaces', surface, INJECTION_SURFACES)
    checkResponse(strategy, response)
    requireTime('timeoutMs', timeoutMs)
    requireClassifier(classifier, threshold)
    const isOwn = classifier !== undefined
    const thresholds = thresholdsOf(threshold ?? (isOwn ? OWN_THRESHOLD : 'balanced'), surfaces, isOwn)
    // Patterns are validated at once, and compiled on first use.
    for (const each of patterns) {
      parsePattern(
        each instanceof RegExp
          ? each
          : requireOptions('A pattern of PromptInjectionDetector', each, INJECTION_PATTERN).pattern,
      )
    }
    const treatment = new Treatment({
      id,
      strategy,
      strategies: chosen === undefined ? DATA_STRATEGIES : undefined,
      enforced: mode === 'enforce',
      response,
      onDetection,
    })
    const map = new InjectionSurfaces(new Set(surfaces))
    const clean = new CleanTexts()
    const load = once(async () => {
      // One after the other, yielding to the event loop in between: compiling a module cannot be interrupted.
      await yieldToEventLoop()
      const { InjectionInspector, SlicedScorer, SurfaceRun, ToolDefinitions } = await import(
        './injection-run.ts'
      )
      await yieldToEventLoop()
      const { loadScorer } = await import('./load-scorer.ts')
      await yieldToEventLoop()
      const scorer = new SlicedScorer(
        await loadScorer(patterns, classifier && { classify: classifier, timeoutMs }),
      )
      return (): SurfaceRun => {
        const inspector = new InjectionInspector({ scorer, treatment, thresholds, isOwn })
        const tools = surfaces.includes('tool-definition')
          ? new ToolDefinitions({ inspector, treatment, clean })
          : undefined
        return new SurfaceRun({
          inspector,
          treatment,
          surfaces: map,
          redactsUnseen: false,
          inputScope,
          tools,
        })
      }
    })
    const results = surfaces.includes('tool-result')
    super({
      id,
      onError,
      hooks: {
        input: surfaces.includes('input') || surfaces.includes('file'),
        inputStep: surfaces.length > 0,
        stream: false,
        outputStep: false,
        toolCall: false,
        toolResult: results,
        execution: results && 'view',
        outputResult: false,
      },
      begin: () => {
        const loaded = load()
        return isPromise(loaded) ? loaded.then((begin) => begin()) : loaded()
      },
      load,
    })
  }
}

/** The default for data: a run does not end because of an attack in a mail; the passage is removed from the text. */
const DATA_STRATEGIES = { history: 'rewrite', 'tool-result': 'rewrite', file: 'rewrite' } as const

const PROMPT_INJECTION_DETECTOR_OPTIONS: OptionNames<PromptInjectionDetectorOptions> = {
  id: 'optional',
  strategy: 'optional',
  response: 'optional',
  surfaces: 'optional',
  threshold: 'open',
  inputScope: 'optional',
  patterns: 'optional',
  classifier: 'optional',
  timeoutMs: 'optional',
  mode: 'optional',
  onDetection: 'optional',
  onError: 'optional',
}

const INJECTION_PATTERN: OptionNames<InjectionPattern> = { pattern: 'required', score: 'optional' }

/** The default threshold of a user's classifier. */
const OWN_THRESHOLD = 0.5

function requireClassifier(
  classifier: PromptInjectionDetectorOptions['classifier'],
  threshold: PromptInjectionDetectorOptions['threshold'],
): void {
  if (classifier === undefined) return
  if (typeof classifier !== 'function') {
    throw new MillraceError(
      'CONFIG_INVALID',
      `classifier is of type ${typeof classifier}. Pass a function of a text and a signal that returns a score from 0 to 1.`,
    )
  }
  if (typeof threshold === 'string') {
    throw new MillraceError(
      'CONFIG_INVALID',
      `threshold is '${threshold}', which is chosen for the classifier that ships. With a classifier of your own, give a number from 0 to 1.`,
    )
  }
}

function thresholdsOf(
  threshold: NonNullable<PromptInjectionDetectorOptions['threshold']>,
  surfaces: readonly InjectionSurface[],
  isOwn: boolean,
): Partial<Record<InjectionSurface, number>> {
  if (typeof threshold === 'string') requireOneOf('threshold', threshold, Object.keys(THRESHOLDS))
  const chosen = surfaces.map((surface): [InjectionSurface, number] => {
    if (typeof threshold === 'number') return [surface, threshold]
    if (typeof threshold === 'string') return [surface, THRESHOLDS[threshold][surface]]
    return [surface, threshold[surface] ?? (isOwn ? OWN_THRESHOLD : THRESHOLDS.balanced[surface])]
  })
  for (const [surface, value] of chosen) requireFraction(`threshold for ${surface}`, value)
  return Object.fromEntries(chosen)
}
