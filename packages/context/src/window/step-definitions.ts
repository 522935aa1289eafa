import { PerRun, type ProcessInputStepArgs } from '@millrace/core'
import { type Definitions, definitionsOf } from '@millrace/tokens'

/**
 * The tool definitions and output schema that a step sends with its messages. They are read again only if the
 * names of the tools or the output schema change, because reading copies every tool.
 */
export class StepDefinitions {
  readonly #known = new PerRun<{ key: string; schema: unknown; definitions: Definitions }>()

  of(args: ProcessInputStepArgs): Definitions | Promise<Definitions> {
    const { state, tools, activeTools, structuredOutput } = args
    // Only compares names: enumerating the properties would read the tools.
    const key = JSON.stringify([Reflect.ownKeys(tools), activeTools])
    const known = this.#known.get(state)
    if (known?.key === key && known.schema === structuredOutput?.schema) return known.definitions
    return definitionsOf(args).then((definitions) => {
      this.#known.set(state, { key, schema: structuredOutput?.schema, definitions })
      return definitions
    })
  }
}
