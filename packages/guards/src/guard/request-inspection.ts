import {
  type Message,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type Schema,
  toJsonSchema,
} from '@millrace/core'
import type { Inspector } from './inspector.ts'
import { textsIn } from './json-value.ts'
import { contentOfMessage } from './message-text.ts'
import { rewriteSettings } from './request-settings.ts'
import { RequestTexts, TreatedTexts } from './request-texts.ts'
import { type Task, wait } from './task.ts'
import type { Place, Treatment } from './treatment.ts'

type Prompt = Awaited<ReturnType<ProcessInputStepArgs['messageList']['toPrompt']>>

export interface RequestInspectionOptions {
  readonly inspector: Inspector
  readonly treatment: Treatment
  readonly surface: string
}

/**
 * Inspects what a request of another program sends to the provider beside the content of its messages: system messages,
 * tools, settings, and all that holds the messages together. A finding in text that cannot be changed, such as the name
 * of a tool or the id of a call, ends the run.
 */
export class RequestInspection {
  readonly #options: RequestInspectionOptions

  constructor(options: RequestInspectionOptions) {
    this.#options = options
  }

  /**
   * @param messages The messages after inspection
   * @returns The settings that have changed
   */
  *inspect(args: ProcessInputStepArgs, messages: Message[]): Task<ProcessInputStepResult> {
    const { inspector, treatment, surface } = this.#options
    const schemas = yield* jsonSchemasOf(args)
    const jsonSchemaOf = (schema: Schema): unknown => schemas.get(schema)
    const collected = new RequestTexts(WORDS)
    rewriteSettings(args, collected, jsonSchemaOf)
    const prompt: Prompt = yield* wait(args.messageList.toPrompt({ messages }))
    for (const text of yield* textsBeside(messages, prompt)) collected.fixed(text)
    const { abort, halt, abortSignal, reportUsage, requestContext } = args
    const context = { abortSignal, reportUsage, requestContext }
    const place = (fixed: boolean): Place => ({
      surface,
      context,
      control: { abort, halt },
      found: false,
      fixed,
    })
    yield* inspector.values(collected.fixedTexts, place(true))
    const treated = yield* inspector.values(collected.texts, place(false))
    const changed = rewriteSettings(args, new TreatedTexts(treated), jsonSchemaOf)
    if (!treatment.filters || !changed.systemMessages) return changed
    const { systemMessages: given } = args
    const left = changed.systemMessages.filter(({ content }, index) => content === given[index]?.content)
    return { ...changed, systemMessages: left }
  }
}

/** A schema that cannot be converted to JSON Schema is skipped here: the model call fails with its own error. */
function* jsonSchemasOf({ tools, structuredOutput }: ProcessInputStepArgs): Task<Map<Schema, unknown>> {
  const given = Object.values(tools).flatMap(({ type, inputSchema }) =>
    type === 'provider' ? [] : [inputSchema],
  )
  if (structuredOutput) given.push(structuredOutput.schema)
  const schemas = new Map<Schema, unknown>()
  for (const schema of given) {
    try {
      schemas.set(schema, yield* wait(toJsonSchema(schema)))
    } catch {}
  }
  return schemas
}

/** The texts of a prompt that are no content of its messages: ids, names, options of a provider. */
function* textsBeside(messages: readonly Message[], prompt: Prompt): Task<ReadonlySet<string>> {
  const content = new Set<string>()
  for (const message of messages) {
    for (const { value } of contentOfMessage(message))
      for (const { text } of textsIn(value)) content.add(text)
    yield 1
  }
  const beside = new Set<string>()
  for (const message of prompt) {
    for (const { text } of textsIn(withoutBytes(message), { numbers: false }))
      if (!content.has(text)) beside.add(text)
    yield 1
  }
  return beside
}

/** A prompt message without the bytes of its files, which are read as content. */
function withoutBytes(message: Prompt[number]): unknown {
  if (typeof message.content === 'string') return message
  const content = message.content.map((part) => {
    if (part.type !== 'file' && part.type !== 'reasoning-file') return part
    return { ...part, data: { ...part.data, data: undefined, text: undefined } }
  })
  return { ...message, content }
}

/** The words of a prompt and of JSON Schema: every request has them. */
const WORDS: ReadonlySet<string> = new Set(
  `role system user assistant tool content type text reasoning file data url mediaType filename image source custom
  tool-call tool-result toolCallId toolName input output value json error-text error-json execution-denied reason
  providerOptions reference id name args auto none
  $schema $ref $defs definitions properties patternProperties required additionalProperties items prefixItems enum const
  format pattern anyOf oneOf allOf not if then else object string number integer boolean array null true false
  http://json-schema.org/draft-07/schema# https://json-schema.org/draft/2020-12/schema`.split(/\s+/),
)
