import type { ValuePlace } from './message-text.ts'
import type { Surface } from './options.ts'

/** Which surface something said belongs to; `undefined` where a guard does not look. */
export interface SurfaceMap<SURFACE extends string = string> {
  /** Whether it looks at messages that go to the model. */
  watches(origin: 'input' | 'history'): boolean
  /** In a message that goes to the model. */
  inbound(origin: 'input' | 'history', at: ValuePlace): SURFACE | undefined
  /** In what the run makes. */
  outbound(at: Pick<ValuePlace, 'kind'>, structured: boolean | undefined): SURFACE | undefined
}

/** The surfaces of guards that look at all that is said. */
export class AllSurfaces implements SurfaceMap<Surface> {
  readonly #surfaces: ReadonlySet<Surface>

  constructor(surfaces: ReadonlySet<Surface>) {
    this.#surfaces = surfaces
  }

  watches(origin: 'input' | 'history'): boolean {
    return this.#surfaces.has(origin)
  }

  inbound(origin: 'input' | 'history'): Surface | undefined {
    return this.#chosen(origin)
  }

  outbound({ kind }: Pick<ValuePlace, 'kind'>, structured: boolean | undefined): Surface | undefined {
    if (kind === 'text') return this.#chosen(structured ? 'object' : 'answer')
    return this.#chosen(kind === 'data' || kind === 'provider' ? 'answer' : kind)
  }

  #chosen(surface: Surface): Surface | undefined {
    return this.#surfaces.has(surface) ? surface : undefined
  }
}
