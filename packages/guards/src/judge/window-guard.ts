import { MillraceError, type OptionNames, requireOptions } from '@millrace/core'
import { yieldToEventLoop } from '../event-loop.ts'
import { checkGuardOptions, GUARD_OPTIONS, type GuardOptions, SURFACES } from '../guard/options.ts'
import { once, SurfaceGuard } from '../guard/surface-guard.ts'
import { AllSurfaces } from '../guard/surface-map.ts'
import type { SurfaceRun } from '../guard/surface-run.ts'
import { isPromise } from '../guard/task.ts'
import { hooksOf } from '../guard/text-guard.ts'
import { Treatment } from '../guard/treatment.ts'
import type { JudgementEvent } from './judgement-event.ts'
import type { Check } from './verdict.ts'
import type * as windowRun from './window-run.ts'

export interface WindowOptions extends GuardOptions {
  /** The maximum length of text judged at once, in UTF-16 units. Default: 2,000. */
  readonly window?: number
  /** How much of the previous window is judged again, in UTF-16 units, at most half of `window`. Default: 200. */
  readonly overlap?: number
  /** Called for every judgement, flagged or not, with its calls and tokens. An error it throws fails the run. */
  readonly onJudgement?: (event: JudgementEvent) => void
}

export const WINDOW_OPTIONS: OptionNames<WindowOptions> = {
  ...GUARD_OPTIONS,
  window: 'optional',
  overlap: 'optional',
  onJudgement: 'optional',
}

export interface WindowGuardOptions extends WindowOptions {
  readonly id: string
  readonly check: Check
  /** Loads what `check` loads on first use. Default: nothing. */
  readonly loadCheck?: () => Promise<unknown>
  /** The kind of finding, for the reason of an abort: `Something unwanted was`. */
  readonly label: string
}

const WINDOW_GUARD_OPTIONS: OptionNames<WindowGuardOptions> = {
  ...WINDOW_OPTIONS,
  id: 'required',
  check: 'required',
  loadCheck: 'optional',
  label: 'required',
}

const LONGEST_OVERLAP = 0.5

/** A guard that has texts judged window by window, by a model or a service. */
export class WindowGuard extends SurfaceGuard {
  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: WindowGuardOptions) {
    const {
      id,
      check,
      loadCheck,
      label,
      strategy = 'block',
      surfaces = SURFACES,
      mode = 'enforce',
      response,
      window = 2_000,
      overlap = Math.min(200, Math.floor(window / 10)),
      onError = 'fail',
      onDetection,
      onJudgement,
    } = requireOptions('WindowGuard', options, WINDOW_GUARD_OPTIONS)
    checkGuardOptions({ strategy, mode, surfaces, ...(response !== undefined && { response }) })
    if (!Number.isInteger(window) || window < 1) {
      throw new MillraceError('CONFIG_INVALID', `window is ${window}. Use an integer of at least 1.`)
    }
    if (!Number.isInteger(overlap) || overlap < 0 || overlap > window * LONGEST_OVERLAP) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `overlap is ${overlap}. Use an integer of at most half of window.`,
      )
    }
    const chosen = new Set(surfaces)
    const map = new AllSurfaces(chosen)
    const enforced = mode === 'enforce'
    const treatment = new Treatment({ id, strategy, enforced, response, onDetection })
    const windows = { size: window, overlap }
    // Loaded when the guard is first used.
    const load = once(() => yieldToEventLoop().then(() => import('./window-run.ts')))
    const begin = ({ WindowJudge, SurfaceRun, WindowInspector }: typeof windowRun): SurfaceRun => {
      const windowJudge = new WindowJudge({ id, check, onJudgement })
      const inspector = new WindowInspector({ id, label, treatment, windows, windowJudge })
      return new SurfaceRun({ inspector, treatment, surfaces: map, redactsUnseen: false })
    }
    super({
      id,
      onError,
      hooks: hooksOf(chosen, { filters: enforced && strategy === 'filter', storesInput: false }),
      begin: () => {
        const loaded = load()
        return isPromise(loaded) ? loaded.then(begin) : begin(loaded)
      },
      load: async () => {
        await load()
        await loadCheck?.()
      },
    })
  }
}
