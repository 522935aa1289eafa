import type { Before, InspectedTexts, InspectionRequest, Inspector, Said, TextsOptions } from './inspector.ts'
import { type Task, wait } from './task.ts'
import type { Place } from './treatment.ts'

/** Records what it is asked to inspect, and finds nothing. */
export class RequestCollector implements Inspector {
  readonly reach: number = 0
  readonly requests: InspectionRequest[] = []

  open(): undefined {
    return undefined
  }

  *texts(texts: readonly string[], place: Place, options: TextsOptions): Task<InspectedTexts> {
    this.requests.push({ texts, place, options })
    return yield* wait({ left: texts, open: 0 })
  }

  *seam(_: Before, texts: readonly string[]): Task<InspectedTexts> {
    return yield* wait({ left: texts, open: 0 })
  }

  *values(said: readonly Said[], place: Place): Task<readonly unknown[]> {
    this.requests.push({ said, place })
    return yield* wait(said.map(({ value }) => value))
  }
}
