import { ArrowUp, Square } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'

interface ComposerProps {
  isBusy: boolean
  onSend: (text: string) => void
  onStop: () => void
}

/** Enter sends; Shift+Enter inserts a line break. While an answer is in progress, the button stops it. */
export function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])

  const send = () => {
    if (isBusy || text.trim() === '') return
    onSend(text.trim())
    setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends a composition, as in Japanese input, does not send.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="composer-box">
        <textarea
          ref={field}
          className="composer-text"
          aria-label="Your message"
          placeholder="Ask something"
          rows={1}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {isBusy ? (
          <button type="button" className="round-button" aria-label="Stop the answer" onClick={onStop}>
            <Square aria-hidden size={14} fill="currentColor" />
          </button>
        ) : (
          <button type="submit" className="round-button" aria-label="Send" disabled={text.trim() === ''}>
            <ArrowUp aria-hidden size={18} />
          </button>
        )}
      </div>
    </form>
  )
}
