import type { ValuePlace } from './message-text.ts'
import type { Surface } from './options.ts'

/** The surface that a value belongs to; `undefined` if the guard does not check it. */
export interface SurfaceMap<SURFACE extends string = string> {
  /** Whether the guard checks messages that go to the model. */
  watches(origin: 'input' | 'history'): boolean
  /** The surface of a value in a message that goes to the model. */
  inbound(origin: 'input' | 'history', at: ValuePlace): SURFACE | undefined
  /** The surface of a value that the run produces. */
  outbound(at: Pick<ValuePlace, 'kind'>, structured: boolean | undefined): SURFACE | undefined
}

/** The surfaces of guards that check all text. */
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
