import type { ProcessInputStepArgs } from '@millrace/core'
import { type Definitions, definitionsOf } from '@millrace/tokens'

/**
 * The definitions that a step sends beside its messages. They are read anew where the names of the tools, or the form of the
 * answer, have changed in the run: reading copies every tool.
 */
export class StepDefinitions {
  readonly #known = new WeakMap<object, { key: string; schema: unknown; definitions: Definitions }>()

  of(args: ProcessInputStepArgs): Definitions | Promise<Definitions> {
    const { state, tools, activeTools, structuredOutput } = args
    // Names alone: to enumerate the properties is to look at the tools.
    const key = JSON.stringify([Reflect.ownKeys(tools), activeTools])
    const known = this.#known.get(state)
    if (known?.key === key && known.schema === structuredOutput?.schema) return known.definitions
    return definitionsOf(args).then((definitions) => {
      this.#known.set(state, { key, schema: structuredOutput?.schema, definitions })
      return definitions
    })
  }
}
