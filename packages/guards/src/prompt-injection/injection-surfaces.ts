import type { ValuePlace } from '../guard/message-text.ts'
import type { SurfaceMap } from '../guard/surface-map.ts'
import type { InjectionSurface } from './options.ts'

/** The surfaces on which attacks arrive. Of the run's own messages only tool results are checked. */
export class InjectionSurfaces implements SurfaceMap<InjectionSurface> {
  readonly #surfaces: ReadonlySet<InjectionSurface>

  constructor(surfaces: ReadonlySet<InjectionSurface>) {
    this.#surfaces = surfaces
  }

  watches(): boolean {
    return this.#surfaces.size > 0
  }

  inbound(origin: 'input' | 'history', { kind, part }: ValuePlace): InjectionSurface | undefined {
    if (kind === 'provider') return undefined
    if (kind === 'tool-result') return this.#chosen('tool-result')
    return this.#chosen(part === 'file' ? 'file' : origin)
  }

  outbound({ kind }: Pick<ValuePlace, 'kind'>): InjectionSurface | undefined {
    return kind === 'tool-result' ? this.#chosen('tool-result') : undefined
  }

  #chosen(surface: InjectionSurface): InjectionSurface | undefined {
    return this.#surfaces.has(surface) ? surface : undefined
  }
}
