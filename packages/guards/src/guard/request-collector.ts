import type {
  ContentValue,
  InspectedTexts,
  InspectionRequest,
  Inspector,
  PrecedingText,
  TextsOptions,
} from './inspector.ts'
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
    return yield* wait({ treated: texts, open: 0 })
  }

  *seam(_: PrecedingText, texts: readonly string[]): Task<InspectedTexts> {
    return yield* wait({ treated: texts, open: 0 })
  }

  *values(content: readonly ContentValue[], place: Place): Task<readonly unknown[]> {
    this.requests.push({ content, place })
    return yield* wait(content.map(({ value }) => value))
  }
}
