import { MillraceError, type OptionNames, requireOptions } from '@millrace/core'
import type { InjectionClassifier } from './own-classifier.ts'

/** A class and the probability that a text belongs to it, from 0 to 1. */
export interface ClassScore {
  readonly label: string
  readonly score: number
}

/**
 * The pipeline that `pipeline('text-classification', …)` of `@huggingface/transformers` resolves to. `top_k: null`
 * returns all classes.
 */
export type TextClassification = (text: string, options: { top_k: null }) => PromiseLike<unknown>

export interface PipelineClassifierOptions {
  /** The labels of the model that are attacks: see `id2label` in its `config.json`. */
  readonly attacks: readonly string[]
}

const PIPELINE_CLASSIFIER_OPTIONS: OptionNames<PipelineClassifierOptions> = { attacks: 'required' }

/**
 * A classifier that runs an ONNX model with a pipeline of `@huggingface/transformers`. If you pass a function that
 * creates the pipeline, it is called once, with the first text.
 *
 * @throws MillraceError `CONFIG_INVALID` if no label is given, or with the first text if the model has none of them
 */
export function pipelineClassifier(
  pipeline: TextClassification | (() => PromiseLike<TextClassification>),
  options: PipelineClassifierOptions,
): InjectionClassifier {
  const { attacks } = requireOptions('pipelineClassifier()', options, PIPELINE_CLASSIFIER_OPTIONS)
  if (attacks.length === 0) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'attacks is empty. Name the classes of the model that are attacks.',
    )
  }
  const wanted = new Set(attacks)
  let loading: PromiseLike<TextClassification> | undefined
  const load = async (): Promise<TextClassification> => {
    // A pipeline is also a function; only a pipeline has a tokenizer.
    if ('tokenizer' in pipeline) return pipeline as TextClassification
    loading ??= (pipeline as () => PromiseLike<TextClassification>)()
    try {
      return await loading
    } catch (error) {
      loading = undefined
      throw error
    }
  }
  return async (text) => {
    const classify = await load()
    const scores = scoresOf(await classify(text, { top_k: null }))
    const found = scores.filter(({ label }) => wanted.has(label))
    if (found.length === 0) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `The model has none of the classes ${attacks.join(', ')}. It has: ${scores.map(({ label }) => label).join(', ')}.`,
      )
    }
    return Math.min(
      1,
      found.reduce((sum, { score }) => sum + score, 0),
    )
  }
}

/** The scores of one text. Some versions return them in a nested list. */
function scoresOf(output: unknown): readonly ClassScore[] {
  const list: readonly unknown[] = Array.isArray(output) ? output.flat() : [output]
  return list.filter((each): each is ClassScore => {
    const { label, score } = (each ?? {}) as Partial<ClassScore>
    return typeof label === 'string' && typeof score === 'number'
  })
}
