import { MillraceError, type OptionNames, type ProcessorArgs, requireOptions } from '@millrace/core'
import { yieldToEventLoop } from '../event-loop.ts'
import type { Replacement } from './edited-text.ts'
import type { EntityFinder } from './entities.ts'
import type { Inspector } from './inspector.ts'
import {
  checkGuardOptions,
  GUARD_OPTIONS,
  type GuardOptions,
  mask,
  type Strategy,
  SURFACES,
  type Surface,
} from './options.ts'
import type { ScannerInspectorOptions } from './scanner-inspector.ts'
import type * as scannerRun from './scanner-run.ts'
import { type GuardHooks, once, SurfaceGuard } from './surface-guard.ts'
import { AllSurfaces } from './surface-map.ts'
import type { SurfaceRun } from './surface-run.ts'
import { isPromise } from './task.ts'
import type { TextScanner } from './text-scanner.ts'
import { Treatment } from './treatment.ts'

export interface TextGuardOptions extends GuardOptions {
  /** Identifies the processor in results, events and errors. */
  readonly id: string
  /** What happens to a finding. Default: `'redact'`. */
  readonly strategy?: Strategy
  /** A `Scanner`, or a function that loads one on first use. */
  readonly scanner: TextScanner | (() => Promise<TextScanner>)
  /**
   * A function that finds what no pattern describes, such as names. Text in a stream is then held until the response is
   * complete.
   */
  readonly entities?: EntityFinder | undefined
  /** The minimum score of an entity. The scanner has its own threshold. Default: 0.5. */
  readonly threshold?: number | undefined
  /**
   * A function of the detection and the value that returns the replacement. Default: `***@***.***` for `email`, else
   * `[REDACTED]`.
   */
  readonly replacement?: Replacement
  /**
   * A function of the run's arguments that returns `replacement`, if it depends on the run. Called once, when the run
   * begins.
   */
  readonly replacementFor?: (args: ProcessorArgs) => Replacement
  /** The kind of finding, for the reason of a tripwire: `A contract number was`. Default: `'Something unwanted'`. */
  readonly label?: string
}

const TEXT_GUARD_OPTIONS: OptionNames<TextGuardOptions> = {
  ...GUARD_OPTIONS,
  id: 'required',
  strategy: 'optional',
  scanner: 'required',
  entities: 'optional',
  threshold: 'optional',
  replacement: 'optional',
  replacementFor: 'optional',
  label: 'optional',
}

/**
 * Yields to the event loop first: the agent has just loaded its own modules, and compiling a module cannot be
 * interrupted.
 */
const loadScannerRun = once(() => yieldToEventLoop().then(() => import('./scanner-run.ts')))

/** The modules of a run, loaded when the guard is first used. */
interface Loaded {
  readonly SurfaceRun: typeof scannerRun.SurfaceRun
  /** Creates the inspector of one run. */
  readonly inspects: (options: Omit<ScannerInspectorOptions, 'scanner'>) => Inspector
}

/**
 * A guard that scans every surface of a run and applies one strategy. The guards of this package extend it: they differ
 * in what they look for.
 */
export class TextGuard extends SurfaceGuard {
  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: TextGuardOptions) {
    const {
      id,
      scanner,
      entities,
      threshold = 0.5,
      strategy = 'redact',
      surfaces = SURFACES,
      mode = 'enforce',
      response,
      replacement = mask,
      replacementFor,
      label = 'Something unwanted',
      onDetection,
      onError = 'fail',
    } = requireOptions('TextGuard', options, TEXT_GUARD_OPTIONS)
    checkGuardOptions({ strategy, mode, surfaces, ...(response !== undefined && { response }) })
    if (entities !== undefined && typeof entities !== 'function') {
      throw new MillraceError(
        'CONFIG_INVALID',
        `entities is of type ${typeof entities}. Pass a function of a text.`,
      )
    }
    const load = once(async (): Promise<Loaded> => {
      const { SurfaceRun, ScannerInspector } = await loadScannerRun()
      const known = typeof scanner === 'function' ? await scanner() : scanner
      if (!entities) {
        return { SurfaceRun, inspects: (options) => new ScannerInspector({ ...options, scanner: known }) }
      }
      const { EntityInspector } = await import('./entity-inspector.ts')
      const entityOptions = { id, scanner: known, find: entities, threshold, onError }
      return { SurfaceRun, inspects: (options) => new EntityInspector({ ...options, ...entityOptions }) }
    })
    const enforced = mode === 'enforce'
    const chosen = new Set(surfaces)
    const map = new AllSurfaces(chosen)
    const begin = (args: ProcessorArgs, { SurfaceRun, inspects }: Loaded): SurfaceRun => {
      const treatment = new Treatment({ id, strategy, enforced, response, onDetection })
      const own = replacementFor?.(args) ?? replacement
      const inspector = inspects({ treatment, replacement: own, label })
      const request = chosen.has('input') ? 'input' : undefined
      return new SurfaceRun({ inspector, treatment, surfaces: map, redactsUnseen: true, request })
    }
    super({
      id,
      onError,
      hooks: hooksOf(chosen, { filters: enforced && strategy === 'filter', storesInput: true }),
      begin: (args) => {
        const loaded = load()
        return isPromise(loaded) ? loaded.then((each) => begin(args, each)) : begin(args, loaded)
      },
      load,
    })
  }
}

/** The hooks of a guard that checks all text on its surfaces. */
export function hooksOf(
  surfaces: ReadonlySet<Surface>,
  { filters, storesInput }: { filters: boolean; storesInput: boolean },
): GuardHooks {
  const input = surfaces.has('input')
  const isOutput = SURFACES.slice(2).some((surface) => surfaces.has(surface))
  return {
    input,
    inputStep: input || isOutput || surfaces.has('history'),
    stream: isOutput,
    outputStep: isOutput && filters,
    toolCall: surfaces.has('tool-input'),
    toolResult: surfaces.has('tool-result'),
    execution: surfaces.has('tool-result'),
    outputResult: isOutput || (input && storesInput),
  }
}
