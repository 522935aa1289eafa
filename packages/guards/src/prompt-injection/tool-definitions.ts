import { type ProcessInputStepArgs, type Tool, type ToolSet, toJsonSchema } from '@millrace/core'
import { textsIn } from '../guard/json-value.ts'
import type { ToolInspection } from '../guard/surface-run-settings.ts'
import { type Task, wait } from '../guard/task.ts'
import type { Place, Treatment } from '../guard/treatment.ts'
import type { CleanTexts } from './clean-texts.ts'
import type { InjectionInspector } from './injection-inspector.ts'
import type { InjectionSurface } from './options.ts'

/** The vocabulary of JSON Schema, which is not inspected. */
const VOCABULARY: ReadonlySet<string> = new Set(
  `$schema $ref $defs definitions type properties required additionalProperties description title items enum const default
  format anyOf oneOf allOf not string number integer boolean object array null minimum maximum minLength maxLength minItems
  maxItems pattern http://json-schema.org/draft-07/schema#`.split(/\s+/),
)

/** A definition that was inspected in this run. */
interface Inspected {
  readonly description: unknown
  readonly schema: object
  readonly examples: string
  readonly isRemoved: boolean
}

export interface ToolDefinitionsOptions {
  readonly inspector: InjectionInspector
  readonly treatment: Treatment
  /** Definitions without findings, of all runs. */
  readonly clean: CleanTexts
}

/**
 * Inspects the names, descriptions, schemas and examples of tools. In a run, a definition is inspected again only if it
 * changed.
 */
export class ToolDefinitions implements ToolInspection {
  readonly #options: ToolDefinitionsOptions
  readonly #known = new Map<string, Inspected>()

  constructor(options: ToolDefinitionsOptions) {
    this.#options = options
  }

  /** The tools that remain; `undefined` if all do. */
  *inspect({ tools, ...args }: ProcessInputStepArgs): Task<ToolSet | undefined> {
    const remaining: ToolSet = {}
    let isChanged = false
    for (const [name, tool] of Object.entries(tools)) {
      // Tools of the provider are not defined here.
      if (tool.type === 'provider' || !(yield* this.#isRemoved(name, tool, args))) remaining[name] = tool
      else isChanged = true
    }
    return isChanged ? remaining : undefined
  }

  *#isRemoved(name: string, tool: Tool, args: Omit<ProcessInputStepArgs, 'tools'>): Task<boolean> {
    const description = descriptionOf(tool)
    const schema = tool.inputSchema
    const examples = JSON.stringify(tool.inputExamples ?? [])
    const known = this.#known.get(name)
    const isSame =
      known?.description === description && known?.schema === schema && known?.examples === examples
    if (known && isSame) return known.isRemoved
    const texts = textsOf([name, description, tool.inputExamples, yield* jsonSchemaOf(schema)])
    const isRemoved = yield* this.#hasAttack(name, texts, args)
    this.#known.set(name, { description, schema, examples, isRemoved })
    return isRemoved
  }

  /** Whether the guard removes the tool because of these texts. */
  *#hasAttack(
    toolName: string,
    texts: readonly string[],
    { abortSignal, reportUsage, requestContext }: Omit<ProcessInputStepArgs, 'tools'>,
  ): Task<boolean> {
    const { inspector, treatment, clean } = this.#options
    const key = JSON.stringify(texts)
    if (clean.has(key)) return false
    // Without `control`, the run continues without the tool, as it does without a remembered message.
    const place: Place<InjectionSurface> = {
      surface: 'tool-definition',
      context: { abortSignal, reportUsage, requestContext },
      toolName,
      found: false,
    }
    yield* inspector.values([{ kind: 'data', part: 'tool', field: 'definition', value: texts }], place)
    if (!place.found) clean.add(key)
    return place.found && treatment.changes
  }
}

function descriptionOf({ description }: Tool): string | undefined {
  return typeof description === 'function' ? description({ context: {} as never }) : description
}

/** A schema that cannot be converted to JSON Schema is skipped here: the model call fails with its own error. */
function* jsonSchemaOf(schema: Tool['inputSchema']): Task<unknown> {
  try {
    return yield* wait(toJsonSchema(schema))
  } catch {
    return undefined
  }
}

/** The texts of a definition, without duplicates. */
function textsOf(definition: readonly unknown[]): string[] {
  const texts = textsIn(definition, { numbers: false }).map(({ text }) => text)
  return [...new Set(texts)].filter((text) => !VOCABULARY.has(text))
}
