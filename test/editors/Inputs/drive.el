;;; drive.el --- Drives the language server from eglot as a user does, and prints what the user sees  -*- lexical-binding: t -*-

;; emacs --batch -L editors/emacs -l drive.el FILE: a file with a tt.load and a function.  NEREID_SERVER is another command of the
;; server, separated by spaces.

(package-initialize)
(require 'nereid-mode)
(require 'eglot)
(require 'flymake)
(require 'xref)

(when (getenv "NEREID_SERVER")
  (setf (alist-get 'nereid-mode eglot-server-programs) (split-string (getenv "NEREID_SERVER"))))

(defun say (format &rest values)
  (princ (concat (apply #'format format values) "\n")))

(defun wait (what ready)
  (with-timeout (20 (error "no %s" what))
    (while (not (funcall ready))
      (accept-process-output nil 0.05))))

(defun go (text)
  "Moves to the end of the first TEXT."
  (goto-char (point-min))
  (search-forward text))

(defun occurrences (text)
  (save-excursion
    (goto-char (point-min))
    (count-matches (concat (regexp-quote text) "\\_>"))))

(defun face-of (text)
  (save-excursion
    (go text)
    (get-text-property (1- (point)) 'face)))

(defun drive (file)
  (find-file file)
  (setq-local eglot-sync-connect 20)
  (setq eglot-confirm-server-initiated-edits nil)
  (say "mode %s" major-mode)
  (font-lock-ensure)
  (say "colors %s %s %s %s" (face-of "tt.load") (face-of "%value") (face-of "@gelu") (face-of "divisibility"))
  (cl-letf (((symbol-function 'y-or-n-p) #'always)
            ((symbol-function 'yes-or-no-p) #'always))
    (apply #'eglot (eglot--guess-contact)))
  (wait "server" #'eglot-current-server)
  (say "server %s" (plist-get (eglot--server-info (eglot-current-server)) :name))
  (flymake-start)
  (go " = tt.load")
  (goto-char (- (match-beginning 0) 1))
  (let* ((definition (line-number-at-pos))
         (name (progn (re-search-backward "%") (buffer-substring (point) (progn (skip-chars-forward "%a-z0-9_") (point)))))
         (uses (occurrences name))
         (hover (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover (eglot--TextDocumentPositionParams))))
    (say "hover %s" (and (string-search (concat name " : tensor") (plist-get (plist-get hover :contents) :value)) t))
    (backward-char)
    (say "references %s" (= uses (length (xref-backend-references 'eglot (xref-backend-identifier-at-point 'eglot)))))
    (goto-char (point-max))
    (re-search-backward (concat (regexp-quote name) "\\_>"))
    (forward-char)
    (xref-find-definitions (xref-backend-identifier-at-point 'eglot))
    (say "definition found %s" (= definition (line-number-at-pos)))
    (go " = tt.load")
    (goto-char (- (match-beginning 0) 1))
    (eglot-rename "loaded")
    (say "renamed %s" (and (= uses (occurrences "%loaded")) (= 0 (occurrences name))))
    (goto-char (line-beginning-position))
    (insert "    tt.oops\n")
    (eglot--signal-textDocument/didChange)
    (wait "error" (lambda () (flymake-start) (flymake-diagnostics)))
    (say "error at the line %s: %s" (= definition (line-number-at-pos (flymake-diagnostic-beg (car (flymake-diagnostics)))))
         (flymake-diagnostic-text (car (flymake-diagnostics))))
    (go "tt.oops")
    (delete-region (line-beginning-position) (line-beginning-position 2))
    (insert "    %unused = arith.constant 7 : i32\n    tt.")
    (eglot--signal-textDocument/didChange)
    (let ((labels (nth 2 (eglot-completion-at-point))))
      (say "completion %s" (and (member "tt.load" (all-completions "tt." labels)) t)))
    (delete-region (line-beginning-position) (point))
    (eglot--signal-textDocument/didChange)
    (go "tt.func")
    (let ((titles (mapcar (lambda (action) (plist-get action :title)) (append (eglot-code-actions (point) nil) nil)))
          (run "Run canonicalize on @gelu"))
      (say "actions %s" (and (member run titles) t))
      (eglot-execute-command (eglot--current-server-or-lose) 'nereid.runPass
                             (vector (list :uri (eglot--path-to-uri buffer-file-name) :pass "canonicalize" :function "gelu")))
      (wait "pass" (lambda () (= 0 (occurrences "%unused"))))
      (say "pass ran"))
    (set-buffer-modified-p nil)
    (eglot-shutdown (eglot-current-server))
    (say "end")))

(let ((file (car command-line-args-left)))
  (setq command-line-args-left nil)
  (drive file))

;;; drive.el ends here
