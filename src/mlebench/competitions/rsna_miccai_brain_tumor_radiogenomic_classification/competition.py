"""RSNA-MICCAI brain tumours: is the MGMT promoter of a glioblastoma methylated, by its MRI scans?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="rsna-miccai-brain-tumor-radiogenomic-classification",
    name="RSNA-MICCAI Brain Tumor Radiogenomic Classification",
    category="Image Classification",
    metric="area under the ROC curve",
    group="high",
    gigabytes=137,
    known_issues=(
        KnownIssue(
            "Three cases that the organisers call faulty (00109, 00123, 00709) are kept and may be test cases.",
            v2="Leaves them out before the split.",
        ),
        KnownIssue(
            "About 59 test patients and a task near chance level (winners reached about 0.62) make scores very noisy.",
            v2="Stratifies the split by label.",
        ),
        KnownIssue("The scans and their labels are public elsewhere, in the BraTS 2021 corpus."),
        KnownIssue("The published grader crashes on an empty prediction.", v2="Refuses it with a reason."),
    ),
)
