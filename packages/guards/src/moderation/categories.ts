/** The categories of OpenAI's moderation endpoint, with descriptions for a model. */
const DESCRIPTIONS = {
  harassment: 'insults, bullying or harassing language towards anybody',
  'harassment/threatening': 'harassment that also threatens violence or serious harm',
  hate: 'hate by race, gender, ethnicity, religion, nationality, sexual orientation, disability or caste',
  'hate/threatening': 'hate that also threatens or wishes violence or serious harm upon such a group',
  illicit: 'instructions or advice for committing crimes or other wrongdoing',
  'illicit/violent': 'the same, with violence or the procurement of weapons',
  'self-harm': 'promotion or depiction of self-harm, such as suicide, cutting and eating disorders',
  'self-harm/intent': 'the speaker says that they harm or mean to harm themselves',
  'self-harm/instructions': 'instructions, advice or encouragement to harm oneself',
  sexual: 'content meant to arouse, or offers of sexual services; not education or health',
  'sexual/minors': 'sexual content that involves anybody under 18',
  violence: 'depiction or glorification of death, violence or injury',
  'violence/graphic': 'the same in graphic detail',
} as const

export type ModerationCategory = keyof typeof DESCRIPTIONS

export const MODERATION_CATEGORIES: readonly ModerationCategory[] = Object.keys(
  DESCRIPTIONS,
) as ModerationCategory[]

/** The list of categories for a model's instructions. */
export const CATEGORY_INSTRUCTIONS: string = MODERATION_CATEGORIES.map(
  (category) => `- ${category}: ${DESCRIPTIONS[category]}`,
).join('\n')
